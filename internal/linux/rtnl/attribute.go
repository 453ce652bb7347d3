// Package rtnl asks the kernel about the network of the calling thread's
// namespace, and to change it (rtnetlink(7)): many changes in one message, for
// where a system call is dear.
package rtnl

import "encoding/binary"

// Attr appends a netlink attribute, padded to four bytes (linux/netlink.h).
func Attr(b []byte, kind uint16, value []byte) []byte {
	const header = 4 // struct nlattr
	b = binary.NativeEndian.AppendUint16(b, uint16(header+len(value)))
	b = binary.NativeEndian.AppendUint16(b, kind)
	b = append(b, value...)
	return append(b, make([]byte, -len(value)&3)...)
}

// U32 appends a number of four bytes.
func U32(b []byte, v uint32) []byte { return binary.NativeEndian.AppendUint32(b, v) }

// U64 appends a number of eight bytes.
func U64(b []byte, v uint64) []byte { return binary.NativeEndian.AppendUint64(b, v) }

// Str is a string as a value.
func Str(s string) []byte { return append([]byte(s), 0) }
