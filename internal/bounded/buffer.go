// Package bounded keeps what others print within bounds.
package bounded

import (
	"bytes"
	"fmt"
)

// Buffer holds at most Most bytes. The write that would exceed them fails, and so does
// each after it, so that a program which writes into it ends.
type Buffer struct {
	Most int

	held bytes.Buffer // not embedded: its ReadFrom knows no bounds
	full bool
}

func (b *Buffer) Write(p []byte) (int, error) {
	if b.full = b.full || b.held.Len()+len(p) > b.Most; b.full {
		return 0, fmt.Errorf("more than %d bytes of output", b.Most)
	}
	return b.held.Write(p)
}

// Full says that more was written than it holds.
func (b *Buffer) Full() bool { return b.full }

// Bytes are what it holds, until the next write.
func (b *Buffer) Bytes() []byte { return b.held.Bytes() }

func (b *Buffer) String() string { return b.held.String() }
