package deflate

import mathbits "math/bits"

// bits packs values into bytes, the lowest bit first (RFC 1951 §3.1.1).
type bits struct {
	out  []byte
	open uint64
	n    uint // bits in open, fewer than 8 between two calls
}

func (b *bits) put(value uint32, width uint) {
	b.open |= uint64(value) << b.n
	for b.n += width; b.n >= 8; b.n -= 8 {
		b.out = append(b.out, byte(b.open))
		b.open >>= 8
	}
}

// code puts a Huffman code, whose highest bit comes first.
func (b *bits) code(code uint32, width uint) {
	b.put(mathbits.Reverse32(code)>>(32-width), width)
}

// symbol puts a literal, the end of the block or a length's symbol by the fixed
// codes (RFC 1951 §3.2.6).
func (b *bits) symbol(s uint32) {
	switch {
	case s < 144:
		b.code(0x30+s, 8)
	case s < 256:
		b.code(0x190+s-144, 9)
	case s < 280:
		b.code(s-256, 7)
	default:
		b.code(0xc0+s-280, 8)
	}
}

// length puts a match's length of 3 to 258 (RFC 1951 §3.2.5). Lengths share a
// symbol by their three highest bits; the rest follows as it is.
func (b *bits) length(length int) {
	if length == longest {
		b.symbol(285)
		return
	}
	above := uint32(length - 3)
	extra := uint(max(mathbits.Len32(above)-3, 0))
	b.symbol(257 + uint32(extra)<<2 + above>>extra)
	b.put(above&(1<<extra-1), extra)
}

// distance puts how far back a match begins, 1 to 32,768. Distances share a
// code by their two highest bits.
func (b *bits) distance(distance int) {
	above := uint32(distance - 1)
	extra := uint(max(mathbits.Len32(above)-2, 0))
	b.code(uint32(extra)<<1+above>>extra, 5)
	b.put(above&(1<<extra-1), extra)
}

func (b *bits) flush() []byte {
	if b.n > 0 {
		b.out = append(b.out, byte(b.open))
	}
	return b.out
}
