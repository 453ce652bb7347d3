package app

import (
	"errors"
	"testing"

	"unchoke/internal/live/livetest"
	"unchoke/internal/words"
)

func TestParseFilter(t *testing.T) {
	f, err := ParseFilter(t.Context(), "sport = https or dst localhost")
	if err != nil {
		t.Fatal(err)
	}
	src := filtered{livetest.NewSource(100, 1), f}
	s, err := src.Next(t.Context())
	if err != nil || len(s.Flows) == 0 || len(s.Flows) > 90 {
		t.Fatalf("%d flows, %v", len(s.Flows), err)
	}
	for i := range s.Flows {
		if s.Flows[i].Local.Port() != 443 {
			t.Errorf("%v passed", s.Flows[i].Local)
		}
	}
	for _, text := range []string{"dport = nosuchservice", "dst no.such.host.invalid", "rtt >"} {
		_, err := ParseFilter(t.Context(), text)
		request, refused := errors.AsType[*RequestError](err)
		if _, points := errors.AsType[*words.Error](err); !refused || !points || request.Hint() == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}
