// Package deflate is a small encoder of DEFLATE (RFC 1951): one block with the
// fixed Huffman codes, over matches that a hash of four bytes finds.
// compress/flate packs better and is ten times the code; a router's build has
// no room for that.
package deflate

import "encoding/binary"

const (
	window   = 1 << 15 // bytes back that a match may begin
	shortest = 4       // bytes of a match: what the hash covers
	longest  = 258
	tries    = 16 // earlier places that are looked at for the longest match

	endOfBlock = 256
	hashBits   = 15
)

// Append appends doc to dst, packed as one whole DEFLATE stream.
func Append(dst, doc []byte) []byte {
	const lastBlock, fixedCodes = 1, 1
	w := bits{out: dst}
	w.put(lastBlock, 1)
	w.put(fixedCodes, 2)
	var seen places
	for at := 0; at < len(doc); {
		length, distance := seen.match(doc, at)
		if length < shortest {
			w.symbol(uint32(doc[at]))
			length = 1
		} else {
			w.length(length)
			w.distance(distance)
		}
		for range length {
			seen.add(doc, at)
			at++
		}
	}
	w.symbol(endOfBlock)
	return w.flush()
}

// places remembers where each hash was seen in the window: the newest place of
// each hash, and for each place the one before it. Places count from 1.
type places struct {
	newest [1 << hashBits]int
	before [window]int
}

func hash(doc []byte, at int) uint32 {
	const golden = 2654435761 // Knuth's multiplicative hash
	return binary.LittleEndian.Uint32(doc[at:]) * golden >> (32 - hashBits)
}

func (p *places) add(doc []byte, at int) {
	if at+shortest > len(doc) {
		return
	}
	h := hash(doc, at)
	p.before[at%window] = p.newest[h]
	p.newest[h] = at + 1
}

// match returns the longest earlier piece that doc goes on with from at, and
// how far back it begins; a length of 0 if there is none.
func (p *places) match(doc []byte, at int) (length, distance int) {
	if at+shortest > len(doc) {
		return 0, 0
	}
	most := min(longest, len(doc)-at)
	place := p.newest[hash(doc, at)]
	for range tries {
		from := place - 1
		if from < 0 || at-from > window {
			break
		}
		n := 0
		for n < most && doc[from+n] == doc[at+n] {
			n++
		}
		if n > length {
			length, distance = n, at-from
		}
		next := p.before[from%window]
		if next >= place { // written anew since
			break
		}
		place = next
	}
	return length, distance
}
