package bounded

import (
	"io"
	"strings"
	"testing"
)

func TestBufferHoldsNoMoreThanItsBound(t *testing.T) {
	b := Buffer{Most: 5}
	if n, err := b.Write([]byte("five.")); n != 5 || err != nil || b.Full() {
		t.Fatalf("wrote %d bytes: %v", n, err)
	}
	for range 2 {
		if n, err := b.Write([]byte(".")); n != 0 || err == nil || !b.Full() {
			t.Errorf("beyond the bound %d bytes were taken: %v", n, err)
		}
	}
	if b.String() != "five." || string(b.Bytes()) != "five." {
		t.Errorf("it holds %q", b.String())
	}
}

func TestBufferEndsACopy(t *testing.T) {
	b := Buffer{Most: 1000}
	if _, err := io.Copy(&b, strings.NewReader(strings.Repeat("x", 1001))); err == nil || !b.Full() {
		t.Errorf("a longer copy ended with %v", err)
	}
}
