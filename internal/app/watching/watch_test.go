package watching

import (
	"errors"
	"testing"

	"unchoke/internal/app/request"
	"unchoke/internal/diagnose"
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
		request, refused := errors.AsType[*request.Error](err)
		if _, points := errors.AsType[*words.Error](err); !refused || !points || request.Hint() == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every flow gets the verdict of its figures, whatever it had.
func TestJudged(t *testing.T) {
	made := livetest.Flows(50, 2)
	s, err := judged{livetest.NewSource(50, 2)}.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range made {
		diagnose.Live(&made[i])
		if f := s.Flows[i]; f.Verdict == "" || f.Verdict != made[i].Verdict || f.Advice != made[i].Advice {
			t.Errorf("%s: %q, want %q", f.ID, f.Verdict, made[i].Verdict)
		}
	}
}
