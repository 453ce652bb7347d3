//go:build slim

package pack

import (
	"io"

	"unchoke/internal/pack/deflate"
)

// Gzip writes doc as one gzip member. The header holds extra as its extra
// field (RFC 1952 §2.3.1.1), of at most 65,535 bytes, if it is not empty.
func Gzip(w io.Writer, extra, doc []byte) error {
	_, err := w.Write(deflate.Gzip(extra, doc))
	return err
}
