package remote

import (
	"errors"
	"strings"
	"testing"
)

// What a far shell says of a program that was killed names no reason: the hint does.
func TestConnectionLost(t *testing.T) {
	broken := errors.New("EOF")
	for said, want := range map[string]string{
		"":                         "run it again",
		"client_loop: Broken pipe": "run it again",
		"Killed":                   "nothing comes from here for " + Lease.String(),
	} {
		err := connectionLost(Target{Host: "far"}, said, broken)
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "the connection is lost") || !strings.Contains(err.Hint(), want) {
			t.Errorf("%q: %v, hint %q", said, err, err.Hint())
		}
	}
}
