package bounded

import "sync"

// Tail keeps the end of what is written to it, whoever writes when. Its zero value is empty.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

// tailSize is in bytes: several screens of a kernel's log.
const tailSize = 64 << 10

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*tailSize {
		t.text = append(t.text[:0], t.text[len(t.text)-tailSize:]...)
	}
	return len(p), nil
}

// Take returns the text and forgets it.
func (t *Tail) Take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.text)
	t.text = nil
	return text
}
