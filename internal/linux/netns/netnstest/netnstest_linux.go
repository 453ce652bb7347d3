// Package netnstest gives tests network namespaces of their own.
package netnstest

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/netns"
)

// New makes a namespace that lasts as long as the test, which is skipped where
// it may make none.
func New(t *testing.T) *netns.Namespace {
	t.Helper()
	n, err := netns.New()
	if errors.Is(err, unix.EPERM) {
		t.Skip("may not create network namespaces: run as root")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}
