package app

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/compare"
	"unchoke/internal/hint"
	"unchoke/internal/probe/servertest"
	"unchoke/internal/probe/trial"
	"unchoke/internal/record"
	"unchoke/internal/state"
	"unchoke/iperf3"
)

func TestCheckKeepsTheRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	store := state.Store{Dir: filepath.Join(t.TempDir(), "records")}
	heard := 0
	target := servertest.Serve(t).String()
	run, err := Check(t.Context(), CheckRequest{
		Request: request.Request{Target: target, Version: "test", Store: &store}, Quick: true,
		Progress: func(share float64, _ string) { heard++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if run.Target != target || len(run.Transfers) == 0 || run.Near.CPUs == 0 || heard == 0 {
		t.Errorf("target %q, %d transfers, near %+v, %d times of progress", run.Target, len(run.Transfers), run.Near, heard)
	}
	if kept, err := store.Load(run.ID); err != nil || kept.Head().Target != target {
		t.Errorf("kept: %v, %v", kept, err)
	}
}

// What was measured is not lost with the place for it.
func TestCompareWithoutAPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	seen := 0
	c, analysis, err := Compare(t.Context(), CompareRequest{
		Request:  request.Request{Target: servertest.Serve(t).String(), Version: "test", Store: &state.Store{Dir: blocked}},
		Arms:     []record.Arm{{Name: "streams=1", Streams: 1}, {Name: "streams=2", Streams: 2}},
		Config:   record.ComparisonConfig{Seed: 1, Blocks: 1, MaxBlocks: compare.DefaultMaxBlocks, Margin: compare.DefaultMargin},
		Duration: 2 * time.Second, Omit: time.Second, Pause: 0, Wait: time.Second,
		Blocks: func(c *record.Comparison, p compare.Progress) { seen = len(c.Trials) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Trials) != 2 || seen != 2 || analysis.Blocks != 1 || c.Arms[0].Direction != record.Up {
		t.Errorf("%d trials, %d heard of, %d blocks, arms %+v", len(c.Trials), seen, analysis.Blocks, c.Arms)
	}
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "the record was not saved") {
		t.Errorf("warnings %q do not say that the record was not saved", c.Warnings)
	}
}

// What cannot be done as it stands is a Error, with a next step where
// there is one, and nothing was sent.
func TestRefuses(t *testing.T) {
	arms := []record.Arm{{Streams: 1}, {Streams: 2}}
	config := record.ComparisonConfig{MaxBlocks: 1, Margin: 0.05}
	check := func(q CheckRequest) error { _, err := Check(t.Context(), q); return err }
	ab := func(q CompareRequest) error { _, _, err := Compare(t.Context(), q); return err }
	for name, c := range map[string]struct {
		err  error
		want string
		hint string
	}{
		"no web address":     {check(CheckRequest{Request: request.Request{Target: "ftp://far/"}}), "cannot be downloaded", "https://"},
		"few bytes":          {check(CheckRequest{Request: request.Request{Target: "http://far/"}, Web: Web{MaxBytes: 1}}), "receives at least", ""},
		"headers for iperf3": {check(CheckRequest{Request: request.Request{Target: "far"}, Web: Web{MaxBytes: 1 << 30}}), "are for a URL", "https://"},
		"no host":            {check(CheckRequest{Request: request.Request{Target: ":5201"}}), "names no host", ""},
		"no port":            {check(CheckRequest{Request: request.Request{Target: "far:99999"}}), `"99999" is not a port`, ""},
		"no time":            {check(CheckRequest{Request: request.Request{Target: "far"}, Budget: time.Nanosecond}), "a check takes at least", "a quick check takes"},
		"less than no time":  {check(CheckRequest{Request: request.Request{Target: "far"}, Wait: -1}), "not negative", ""},
		"no blocks":          {ab(CompareRequest{Arms: arms, Duration: trial.Auto, Config: record.ComparisonConfig{Margin: 0.05}}), "at least one block", ""},
		"a margin of all":    {ab(CompareRequest{Arms: arms, Duration: trial.Auto, Config: record.ComparisonConfig{MaxBlocks: 1, Margin: 1}}), "not between 0 and 1", "5 %"},
		"trials of no time":  {ab(CompareRequest{Arms: arms, Config: config}), "must be positive", ""},
		"all of it dropped":  {ab(CompareRequest{Arms: arms, Config: config, Duration: time.Second, Omit: time.Second}), "leaves nothing", ""},
		"half a second":      {ab(CompareRequest{Arms: arms, Config: config, Duration: trial.Auto, Omit: 1500 * time.Millisecond}), "drops whole seconds", "1s or 2s"},
		"nothing to fetch":   {ab(CompareRequest{Request: request.Request{Target: "ftp://far/"}, Arms: arms, Config: config, Duration: trial.Auto}), "cannot be downloaded", "https://"},
		"windows of a fetch": {ab(CompareRequest{Request: request.Request{Target: "http://far/"}, Arms: []record.Arm{{Window: 1}, {}}, Config: config, Duration: trial.Auto}), "cannot be chosen", "iperf3 -s"},
	} {
		refused, ok := errors.AsType[*request.Error](c.err)
		if !ok || !strings.Contains(c.err.Error(), c.want) || !strings.Contains(refused.Hint(), c.hint) || (c.hint == "") != (refused.Hint() == "") {
			t.Errorf("%s: error %v", name, c.err)
			if ok {
				t.Logf("hint %q", refused.Hint())
			}
		}
	}
}

func TestLookUp(t *testing.T) {
	for target, want := range map[string]string{
		"127.0.0.1":      "127.0.0.1:5201",
		"127.0.0.1:80":   "127.0.0.1:80",
		"::1":            "[::1]:5201",
		"[::1]":          "[::1]:5201",
		"[::1]:443":      "[::1]:443",
		"::ffff:1.2.3.4": "1.2.3.4:5201",
	} {
		got, err := request.LookUp(t.Context(), target, request.AnyFamily, iperf3.DefaultPort)
		if err != nil || got != netip.MustParseAddrPort(want) {
			t.Errorf("%s is %v, %v, want %s", target, got, err, want)
		}
	}
}

// A host without an address says why, with what to do.
func TestLookUpFails(t *testing.T) {
	for target, c := range map[string]struct {
		family     request.Family
		want, hint string
	}{
		"127.0.0.1":       {request.IPv6, "127.0.0.1 has no IPv6 address", "leave out -6"},
		"::1":             {request.IPv4, "::1 has no IPv4 address", "leave out -4"},
		"[::1":            {request.AnyFamily, "the brackets do not match", "[2001:db8::7]:5201"},
		"::1]":            {request.AnyFamily, "the brackets do not match", "[2001:db8::7]:5201"},
		"no such name":    {request.AnyFamily, "no such host", "check the spelling"},
		"no such name :1": {request.IPv6, "no such host", "without -6"},
	} {
		_, err := request.LookUp(t.Context(), target, c.family, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.hint) {
			t.Errorf("%s: %v, hint %q", target, err, hint.Of(err))
		}
	}
}

func TestKindOf(t *testing.T) {
	for target, want := range map[string]request.Kind{
		"far": request.ServerTarget, "far:5201": request.ServerTarget, "[2001:db8::1]:5201": request.ServerTarget, "": request.ServerTarget,
		"ssh://root@far": request.SSHTarget, "https://far/file": request.URLTarget, "http://far": request.URLTarget, "ftp://far": request.URLTarget,
	} {
		if got := request.KindOf(target); got != want {
			t.Errorf("%q: %v, want %v", target, got, want)
		}
	}
}
