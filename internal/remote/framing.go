//go:build !slim

package remote

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The far side's words, bounded: what a login shell prints before them, and one
// of them.
const (
	maxNoise = 64 << 10
	maxWord  = 8 << 10
)

// errNoise says that what came was not far.sh's.
var errNoise = errors.New("the login shell prints too much before it runs a command")

// words reads what far.sh says: lines that begin with the nonce. What stands
// before the first one is skipped.
type words struct {
	in    *bufio.Reader
	nonce string
	noise int // bytes that were skipped
}

func newWords(in io.Reader, nonce string) *words {
	return &words{in: bufio.NewReaderSize(in, maxWord), nonce: nonce}
}

// next returns the next word's key and value.
func (w *words) next() (key, value string, err error) {
	for {
		line, err := w.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return "", "", err
		}
		// A prompt without an end of line may stand before it.
		if _, word, found := strings.Cut(string(line), w.nonce+" "); found {
			if errors.Is(err, bufio.ErrBufferFull) {
				return "", "", fmt.Errorf("a line of the far side is longer than %d KiB", maxWord>>10)
			}
			key, value, _ = strings.Cut(strings.TrimRight(word, "\r\n"), " ")
			return key, strings.TrimSpace(value), nil
		}
		if w.noise += len(line); w.noise > maxNoise {
			return "", "", errNoise
		}
	}
}
