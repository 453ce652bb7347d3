package far

import (
	"errors"
	"testing"

	"unchoke/internal/fleet"
	"unchoke/internal/remote"
	"unchoke/internal/session"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// An exit status there, and what was said, become an error here that tells how
// the host was left, with a next step that can be taken from here.
func TestTuneErrors(t *testing.T) {
	far, err := NewTuner("ssh://me@far", TunerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []error{fleet.ErrRefused, fleet.ErrReverted, fleet.ErrLost}
	for name, c := range map[string]struct {
		verb       string
		tuned      session.Tuned
		kind       error
		status     int
		what, hint string
	}{
		"refused": {
			"try",
			session.Tuned{Status: 6, Errors: "plan  for this host\nunchoke: warning: slow\nunchoke: changes are being tried\nhint: unchoke tune confirm TOKEN keeps them, unchoke tune revert takes them back now\n"},
			fleet.ErrRefused, 6, "ssh://me@far: changes are being tried", "unchoke tune confirm --on ssh://me@far TOKEN keeps them, unchoke tune revert --on ssh://me@far takes them back now",
		},
		"rights": {
			"try",
			session.Tuned{Status: 6, Errors: "unchoke: open /x: permission denied\nhint: run it as root (sudo)\n"},
			fleet.ErrRefused, 6, "ssh://me@far: open /x: permission denied", "--become runs it there by sudo; or log in as root: ssh://root@far",
		},
		"reverted": {"apply", session.Tuned{Status: 5, Errors: "unchoke: verify: no\n"}, fleet.ErrReverted, 5, "ssh://me@far: verify: no", ""},
		"other":    {"confirm", session.Tuned{Status: 2, Errors: "unchoke: what\n"}, nil, 1, "ssh://me@far: what", ""},
		"nothing":  {"verify", session.Tuned{Status: 139}, nil, 1, "ssh://me@far: unchoke tune verify ended with status 139 there", ""},
		"no plan":  {"plan", session.Tuned{Status: 6, Errors: "unchoke: no\n"}, fleet.ErrRefused, 6, "ssh://me@far: no", ""},
	} {
		err := far.failed(c.verb, c.tuned)
		e, ok := errors.AsType[*TuneError](err)
		if !ok || e.Error() != c.what || e.Hint() != c.hint || e.ExitStatus() != c.status {
			t.Errorf("%s: %v, %+v", name, err, e)
			continue
		}
		for _, kind := range kinds {
			if errors.Is(err, kind) != (kind == c.kind) {
				t.Errorf("%s: is %v: %v", name, kind, errors.Is(err, kind))
			}
		}
	}
	for _, fine := range []struct {
		verb  string
		tuned session.Tuned
	}{
		{"plan", session.Tuned{Status: 3}}, {"plan", session.Tuned{Status: 6, Output: "{}"}}, {"verify", session.Tuned{Status: 4}}, {"try", session.Tuned{}},
	} {
		if err := far.failed(fine.verb, fine.tuned); err != nil {
			t.Errorf("%+v: %v", fine, err)
		}
	}
	if got := warningsIn("unchoke: warning: a\nunchoke: b\nunchoke: warning: c"); len(got) != 2 || got[1] != "c" {
		t.Errorf("warnings %q", got)
	}
}

// A command that is printed has the flags that lead to the same host and journal.
func TestTunerCommand(t *testing.T) {
	far, err := NewTuner("ssh://me@far", TunerOptions{Remote: remote.Options{Become: true, FarBinary: "my dist/"}, State: "/srv/$1 it's"})
	if err != nil {
		t.Fatal(err)
	}
	const reach = "--on ssh://me@far --become --far-binary 'my dist/'"
	const flags = reach + ` --state '/srv/$1 it'\''s'`
	for verb, want := range map[string]string{"status": "unchoke tune status " + flags, "plan": "unchoke tune plan " + reach} {
		if got := far.Command(verb); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got, want := far.next("unchoke tune confirm TOKEN keeps them; unchoke tune plan"), "unchoke tune confirm "+flags+" TOKEN keeps them; unchoke tune plan "+reach; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A document that a report would stumble over is none.
func TestReadTuned(t *testing.T) {
	for text, fine := range map[string]bool{
		`{"schema": "unchoke.tune.outcome/1", "outcome": "tried", "token": "a", "deadline": "2026-01-01T00:00:00Z"}`: true,
		`{"schema": "unchoke.tune.outcome/1", "outcome": "tried"}`:                                                   false,
		`{"schema": "unchoke.tune.outcome/2", "outcome": "applied"}`:                                                 false,
		`{"schema": "unchoke.tune.outcome/1", "outcome": "applied"}`:                                                 true,
		`[]`: false, ``: false,
	} {
		if err := ReadTuned([]byte(text), &outcome.Outcome{}); (err == nil) != fine || err != nil && !errors.Is(err, ErrFarDocument) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := ReadTuned([]byte(`{"schema": "unchoke.tune.plan/1", "root": "/mnt"}`), &tune.Plan{}); err == nil {
		t.Error("an image's plan is taken for a host's")
	}
}
