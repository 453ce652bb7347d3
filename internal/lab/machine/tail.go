package machine

import (
	"strings"
	"sync"
)

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailSize is in bytes: several screens of a kernel's log.
const tailSize = 64 << 10

func (t *tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*tailSize {
		t.text = append(t.text[:0], t.text[len(t.text)-tailSize:]...)
	}
}

// Write makes it an io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.add(p)
	return len(p), nil
}

// take returns the text and forgets it.
func (t *tail) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.text)
	t.text = nil
	return text
}

// lastWords returns up to n lines that say why a kernel ended: those from its
// panic on, or else the last.
func lastWords(log string, n int) []string {
	if i := strings.LastIndex(log, panicLine); i >= 0 {
		lines := lastLines(log[i:], strings.Count(log[i:], "\n")+1)
		return lines[:min(n, len(lines))]
	}
	return lastLines(log, n)
}

// panicLine begins a panic in the kernel's log (kernel/panic.c).
const panicLine = "Kernel panic - not syncing"

// lastLines returns up to n lines of text from its end, without empty ones.
func lastLines(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):]
}
