package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// maxToken is the most that a token may have, in bytes. It travels in the
// parameters of a test, of which iperf3's servers take 16 KiB.
const maxToken = 4 << 10

// ReadToken reads a token from a file, without the space around it. The file
// may be a pipe.
func ReadToken(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	switch {
	case len(text) > maxToken:
		return "", WithHint(fmt.Errorf("read token from %s: the file is larger than %d KiB", name, maxToken>>10), "a token is one line of text: `openssl rand -hex 32 >FILE` makes one")
	case token == "":
		return "", fmt.Errorf("read token from %s: the file is empty", name)
	}
	return token, nil
}
