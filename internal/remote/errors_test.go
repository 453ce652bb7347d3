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

// A host's key on another port is known by both.
func TestHintNamesTheKnownHost(t *testing.T) {
	for want, target := range map[string]Target{
		"ssh-keygen -R far`":             {Host: "far", User: "me"},
		"ssh-keygen -R '[far]:2222'`":    {Host: "far", Port: 2222},
		"ssh-keygen -R '[2001:db8::1]:7": {Host: "2001:db8::1", Port: 7},
	} {
		if got := target.hint(complaints[0].hint); !strings.Contains(got, want) {
			t.Errorf("%+v: %s", target, got)
		}
	}
}
