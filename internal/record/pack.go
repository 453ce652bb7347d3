package record

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"

	"unchoke/internal/pack"
)

// A packed record tells its length twice, so that a file that was cut short is
// known without unpacking it: in an extra field of gzip's header (RFC 1952
// §2.3.1.1), under the name lengthField, as 64 bits, little-endian; and in
// gzip's last four bytes, modulo 2^32.
var lengthField = [4]byte{'u', 'c', 8, 0}

// Write writes a record, under the schema it has, as gzip'd JSON.
func Write(w io.Writer, d Document) error {
	doc, err := json.Marshal(d)
	if err != nil {
		return err
	}
	length := binary.LittleEndian.AppendUint64(lengthField[:len(lengthField):len(lengthField)], uint64(len(doc)))
	return pack.Gzip(w, length, doc)
}

// Whole tells whether a record's file holds all of it. One that does not tell
// its length, of an earlier unchoke or unpacked, is read to its end.
func Whole(f io.ReadSeeker) error { return plain(whole(f)) }

func whole(f io.ReadSeeker) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	packed, err := gzip.NewReader(f)
	if err == nil && len(packed.Extra) == len(lengthField)+8 && bytes.HasPrefix(packed.Extra, lengthField[:]) {
		return tail(f, uint32(binary.LittleEndian.Uint64(packed.Extra[len(lengthField):])))
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	doc, err := readAll(f)
	if err != nil {
		return err
	}
	if !json.Valid(doc) {
		return errShort
	}
	return nil
}

// tail holds a packed file's last four bytes against its length.
func tail(f io.ReadSeeker, length uint32) error {
	var last [4]byte
	if _, err := f.Seek(-int64(len(last)), io.SeekEnd); err != nil {
		return err
	}
	if _, err := io.ReadFull(f, last[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(last[:]) != length {
		return errShort
	}
	return nil
}
