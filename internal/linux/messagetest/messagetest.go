// Package messagetest reads netlink messages that a kernel sent, for tests of
// their parsers.
package messagetest

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// Read returns the message in testdata/NAME.hex, hexadecimal digits with any
// white space.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(string(bytes.Join(bytes.Fields(text), nil)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b
}
