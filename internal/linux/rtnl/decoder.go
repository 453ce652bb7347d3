package rtnl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

var errShort = errors.New("attribute cut short")

// Decoder goes through the attributes of a message:
//
//	for d := NewDecoder(b); d.Next(); {
//		switch d.Type() { … }
//	}
type Decoder struct {
	rest  []byte
	kind  uint16
	value []byte
	err   error
}

// NewDecoder reads attributes one after the other.
func NewDecoder(b []byte) *Decoder { return &Decoder{rest: b} }

// Next goes on to the next attribute; false: there is none, or Err says why not.
func (d *Decoder) Next() bool {
	const header = 4 // struct nlattr
	if d.err != nil || len(d.rest) == 0 {
		return false
	}
	length := 0
	if len(d.rest) >= header {
		length = int(binary.NativeEndian.Uint16(d.rest))
		d.kind = binary.NativeEndian.Uint16(d.rest[2:])
	}
	if length < header || length > len(d.rest) {
		d.err = errShort
		return false
	}
	d.value = d.rest[header:length]
	d.rest = d.rest[min((length+3)&^3, len(d.rest)):]
	return true
}

// Err is what was wrong with an attribute.
func (d *Decoder) Err() error { return d.err }

// Flags in an attribute's type (linux/netlink.h).
const flags = 1<<15 | 1<<14 // NLA_F_NESTED, NLA_F_NET_BYTEORDER

// Type is the attribute's, without the flags in it.
func (d *Decoder) Type() uint16 { return d.kind &^ flags }

// WholeType is the attribute's type with them.
func (d *Decoder) WholeType() uint16 { return d.kind }

// Bytes are the attribute's value, within the message.
func (d *Decoder) Bytes() []byte { return d.value }

// String is a value that ends with a zero.
func (d *Decoder) String() string {
	text, _, _ := bytes.Cut(d.value, []byte{0})
	return string(text)
}

// Uint32 is a value of four bytes.
func (d *Decoder) Uint32() uint32 {
	if len(d.value) != 4 {
		d.err = fmt.Errorf("attribute %d has %d bytes, not 4", d.Type(), len(d.value))
		return 0
	}
	return binary.NativeEndian.Uint32(d.value)
}

// Do has the value read.
func (d *Decoder) Do(read func([]byte) error) {
	if err := read(d.value); err != nil {
		d.err = err
	}
}

// Nested has the attributes within the value read.
func (d *Decoder) Nested(read func(*Decoder) error) {
	within := NewDecoder(d.value)
	d.err = read(within)
	if d.err == nil {
		d.err = within.err
	}
}
