//go:build !slim

package pack

import (
	"compress/gzip"
	"io"
)

// Gzip writes doc as one gzip member. The header holds extra as its extra
// field (RFC 1952 §2.3.1.1), of at most 65,535 bytes, if it is not empty.
func Gzip(w io.Writer, extra, doc []byte) error {
	z := gzip.NewWriter(w)
	z.Extra = extra
	if _, err := z.Write(doc); err != nil {
		return err
	}
	return z.Close()
}
