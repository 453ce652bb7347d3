package bounded

import (
	"io"
	"strings"
	"testing"
)

func TestTailKeepsTheEnd(t *testing.T) {
	var log Tail
	for range 5 {
		io.WriteString(&log, strings.Repeat("a", tailSize))
	}
	io.WriteString(&log, "end")
	text := log.Take()
	if len(text) < tailSize || len(text) > 2*tailSize+len("end") || !strings.HasSuffix(text, "aend") {
		t.Errorf("kept %d bytes ending %q", len(text), text[max(0, len(text)-8):])
	}
	if rest := log.Take(); rest != "" {
		t.Errorf("%d bytes left after take", len(rest))
	}
}
