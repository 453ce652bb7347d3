package watching

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/live"
	"unchoke/internal/live/filter"
	"unchoke/internal/live/livetest"
	"unchoke/internal/live/tape"
)

// onTape records n seconds of made-up flows.
func onTape(t *testing.T, n int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "recording")
	src := livetest.NewSource(20, 4)
	src.Last = n
	r, err := startRecorder(src, name, tape.Info{Interval: 1})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = r.Next(t.Context())
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func playing(t *testing.T, name string) *Tape {
	t.Helper()
	p, err := OpenTape(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// second is which one of the recording a snapshot is of.
func second(t *testing.T, p *Tape) int {
	t.Helper()
	s, err := p.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return int(s.Time.Sub(livetest.Start) / time.Second)
}

func TestTapePlaysInItsTime(t *testing.T) {
	name := onTape(t, 60)
	synctest.Test(t, func(t *testing.T) {
		p := playing(t, name)
		start := time.Now()
		for i := range 11 {
			if got := second(t, p); got != i || time.Since(start) != time.Duration(i)*time.Second {
				t.Fatalf("second %d after %v", got, time.Since(start))
			}
		}
		p.SetSpeed(4)
		for i := range 8 {
			second(t, p)
			_ = i
		}
		if d := time.Since(start); d != 12*time.Second {
			t.Errorf("four times as fast: %v", d)
		}
		p.SetSpeed(0)
		for range 41 {
			second(t, p)
		}
		if d := time.Since(start); d != 12*time.Second {
			t.Errorf("as fast as can be: %v", d)
		}
		if at, length := p.Position(); at != 59*time.Second || length != at {
			t.Errorf("at %v of %v", at, length)
		}
		if _, err := p.Next(t.Context()); !errors.Is(err, io.EOF) || p.Fault() != nil {
			t.Errorf("%v, %v", err, p.Fault())
		}
	})
}

// However slow a tape plays, it does not run.
func TestTapePlaysSlowly(t *testing.T) {
	name := onTape(t, 3)
	for _, speed := range []float64{1e-3, 1e-12, 5e-324} {
		synctest.Test(t, func(t *testing.T) {
			p := playing(t, name)
			p.SetSpeed(speed)
			second(t, p)
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
			defer cancel()
			if _, err := p.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("×%g: the next snapshot came: %v", speed, err)
			}
		})
	}
}

func TestTapeSeeksAndPauses(t *testing.T) {
	name := onTape(t, 60)
	synctest.Test(t, func(t *testing.T) {
		p := playing(t, name)
		p.Seek(30 * time.Second)
		if got := second(t, p); got != 30 {
			t.Errorf("second %d", got)
		}
		p.Pause(true)
		got := make(chan int)
		go func() {
			for {
				s, err := p.Next(t.Context())
				if err != nil {
					return
				}
				got <- int(s.Time.Sub(livetest.Start) / time.Second)
			}
		}()
		quiet := func() {
			t.Helper()
			select {
			case s := <-got:
				t.Errorf("second %d while it is paused", s)
			case <-time.After(time.Hour):
			}
		}
		quiet()
		for _, to := range []int{12, 50, 0} {
			p.Seek(time.Duration(to) * time.Second)
			if s := <-got; s != to {
				t.Errorf("second %d, want %d", s, to)
			}
			quiet()
		}
		from := time.Now()
		p.Pause(false)
		if s := <-got; s != 1 || time.Since(from) != time.Second {
			t.Errorf("second %d after %v", s, time.Since(from))
		}
		// It stays at the end, and can be wound back from there.
		p.Stay()
		p.Seek(time.Hour)
		if s := <-got; s != 59 {
			t.Errorf("second %d", s)
		}
		quiet()
		p.Seek(57 * time.Second)
		for want := 57; want < 60; want++ {
			if s := <-got; s != want {
				t.Errorf("second %d, want %d", s, want)
			}
		}
	})
}

// Who winds to what is damaged is told so.
func TestTapeSeeksDamage(t *testing.T) {
	name := onTape(t, 60)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.LastIndex(b, []byte{0x1f, 0x8b, 8})] = 0 // the last frame's own beginning: gzip's
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	p := playing(t, name)
	p.Seek(time.Hour)
	if _, err := p.Next(t.Context()); !errors.As(err, new(*tape.DamagedError)) {
		t.Errorf("%v", err)
	}
}

func TestTapeEndsWithItsContext(t *testing.T) {
	p := playing(t, onTape(t, 3))
	p.Pause(true)
	if got := second(t, p); got != 0 {
		t.Errorf("second %d", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// What passes the filter is recorded and judged anew when it is played: with the
// same verdicts.
func TestWatchRecordsAndReplays(t *testing.T) {
	dir := t.TempDir()
	all := func(q Request) (out []*live.Snapshot) {
		t.Helper()
		q.Tape.SetSpeed(0)
		src, closer, err := Watch(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for {
			s, err := src.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, s)
		}
		if err := closer(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	f, err := filter.Parse("cc = cubic and rtt > 30ms", filter.Names{})
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(dir, "again")
	first := all(Request{Tape: playing(t, onTape(t, 40)), Filter: f, Record: again})
	p := playing(t, again)
	if p.Info().Filter != f.String() {
		t.Errorf("recorded of %q", p.Info().Filter)
	}
	second := all(Request{Tape: p})
	if len(first) != 40 || len(second) != 40 {
		t.Fatalf("%d and %d snapshots", len(first), len(second))
	}
	flows := 0
	for i := range first {
		if len(first[i].Flows) != len(second[i].Flows) {
			t.Fatalf("%d and %d flows", len(first[i].Flows), len(second[i].Flows))
		}
		for j := range first[i].Flows {
			a, b := &first[i].Flows[j], &second[i].Flows[j]
			flows++
			if a.ID != b.ID || a.Verdict != b.Verdict || a.CC != "cubic" || !slices.Equal(a.Warnings, b.Warnings) {
				t.Fatalf("%+v\n%+v", a, b)
			}
		}
	}
	if flows == 0 {
		t.Error("no flow passed")
	}
}

func TestTapeRefusals(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no recording\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{text, dir, filepath.Join(dir, "none"), os.DevNull} {
		_, err := OpenTape(name)
		if _, refused := errors.AsType[*request.Error](err); !refused {
			t.Errorf("replay %s: %v", name, err)
		}
	}
	for _, name := range []string{text, filepath.Join(dir, "no", "directory")} {
		_, err := startRecorder(nil, name, tape.Info{})
		if _, refused := errors.AsType[*request.Error](err); !refused {
			t.Errorf("record to %s: %v", name, err)
		}
	}
	if b, err := os.ReadFile(text); err != nil || string(b) != "no recording\n" {
		t.Errorf("the file has %q, %v", b, err)
	}
	whole, err := os.ReadFile(onTape(t, 30))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut")
	if err := os.WriteFile(cut, whole[:len(whole)-40], 0o600); err != nil {
		t.Fatal(err)
	}
	p := playing(t, cut)
	p.SetSpeed(0)
	for err == nil {
		_, err = p.Next(t.Context())
	}
	if !errors.Is(err, io.EOF) || p.Fault() == nil {
		t.Errorf("%v, %v", err, p.Fault())
	}
}
