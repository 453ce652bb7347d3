package deflate

import (
	"encoding/binary"
	"hash/crc32"
)

// Gzip returns doc as one gzip member (RFC 1952 §2.3). The header holds extra,
// of at most 65,535 bytes, as its extra field if it is not empty.
func Gzip(extra, doc []byte) []byte {
	const (
		deflated  = 8
		withExtra = 1 << 2
		unknownOS = 255
	)
	head := []byte{0x1f, 0x8b, deflated, 0, 0, 0, 0, 0, 0, unknownOS}
	if len(extra) > 0 {
		head[3] |= withExtra
		head = binary.LittleEndian.AppendUint16(head, uint16(len(extra)))
		head = append(head, extra...)
	}
	out := Append(head, doc)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(doc))
	return binary.LittleEndian.AppendUint32(out, uint32(len(doc)))
}
