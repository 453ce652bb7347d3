package pack_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"unchoke/internal/pack"
)

func TestGzip(t *testing.T) {
	doc, extra := bytes.Repeat([]byte(`{"rtt_us":20042}`), 1000), []byte{'u', 'c', 1, 0, 9}
	var packed bytes.Buffer
	if err := pack.Gzip(&packed, extra, doc); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > len(doc)/20 {
		t.Errorf("%d bytes became %d", len(doc), packed.Len())
	}
	z, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(z)
	if err != nil || !bytes.Equal(got, doc) || !bytes.Equal(z.Extra, extra) {
		t.Errorf("%d bytes, extra %v, error %v", len(got), z.Extra, err)
	}
}
