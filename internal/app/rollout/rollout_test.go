package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/fleettest"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

var errKilled = errors.New("killed")

// stage is where rollouts over hosts in memory are played.
type stage struct {
	t     *testing.T
	mu    sync.Mutex
	clock time.Time
	hosts map[string]*fleettest.Host
	names []string
	first map[string]map[string]string // values before anything
	slow  map[string]bool              // hosts that get slower by the change
	file  []byte
	left  int // effects and saves until the process is killed; negative: never
	dead  bool
	steps int
}

func newStage(t *testing.T, hosts int) *stage {
	s := &stage{t: t, clock: time.Unix(1_800_000_000, 0), hosts: map[string]*fleettest.Host{}, first: map[string]map[string]string{}, slow: map[string]bool{}, left: -1}
	for i := range hosts {
		name := fmt.Sprintf("h%02d", i)
		h := fleettest.New(name, s.now)
		h.Fails = func(string, bool) error { return s.alive() }
		s.hosts[name], s.first[name] = h, h.Values()
		s.names = append(s.names, name)
	}
	return s
}

func (s *stage) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *stage) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = s.clock.Add(d)
}

// alive counts down to the moment at which the process is killed: nothing that it
// does after that has an effect.
func (s *stage) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.steps++; s.left > 0 {
		s.left--
	}
	if s.left == 0 {
		s.dead = true
	}
	if s.dead {
		return fmt.Errorf("%w: %w", fleet.ErrLost, errKilled)
	}
	return nil
}

func (s *stage) members() (out []fleet.Member) {
	for _, name := range s.names {
		out = append(out, fleet.Member{Host: inventory.Host{Name: name, Address: name}})
	}
	return out
}

func (s *stage) rollout(settings fleet.Settings) *fleet.Rollout {
	s.t.Helper()
	r, err := fleet.NewRollout("id", "test", s.now(), settings, s.members())
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// load is the rollout as its file has it.
func (s *stage) load() *fleet.Rollout {
	s.t.Helper()
	var r fleet.Rollout
	if err := json.Unmarshal(s.file, &r); err != nil {
		s.t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		s.t.Fatal(err)
	}
	return &r
}

// measure gives rates by what the host has now.
func (s *stage) measure(_ context.Context, e *fleet.Entry, _ request.Progress) (fleet.Rates, error) {
	if err := s.alive(); err != nil {
		return fleet.Rates{}, err
	}
	base := 100e6
	if h := s.hosts[e.Host]; h.Values()[fleettest.CC] == "bbr" {
		base = 200e6
		if s.slow[e.Host] {
			base = 60e6
		}
	}
	var r fleet.Rates
	for i := range 4 {
		r.Down = append(r.Down, base*(1+0.01*float64(i)))
		r.Up = append(r.Up, 100e6*(1+0.01*float64(i)))
	}
	return r, nil
}

func (s *stage) request(r *fleet.Rollout) Request {
	return Request{
		Rollout: r, Parallel: 4, Now: s.now, Measure: s.measure,
		Host: func(e *fleet.Entry) fleet.Host { return s.hosts[e.Host] },
		Save: func(r *fleet.Rollout) error {
			if err := s.alive(); err != nil {
				return err
			}
			b, err := json.Marshal(r)
			if err == nil {
				s.file = b
			}
			return err
		},
		Wait: func(_ context.Context, d time.Duration) { s.pass(d) },
	}
}

func (s *stage) touched(name string) bool { return !maps.Equal(s.hosts[name].Values(), s.first[name]) }

var usual = fleet.Settings{Batch: "1,2,50%", Timeout: 120, Rounds: 4, Seconds: 1}

func TestRollAll(t *testing.T) {
	s := newStage(t, 9)
	s.hosts["h04"].Set(fleettest.CC, "bbr")
	s.hosts["h04"].Set(fleettest.Qdisc, "fq")
	s.hosts["h04"].BootFile = ""
	s.first["h04"] = s.hosts["h04"].Values()
	r := s.rollout(usual)
	if err := Roll(t.Context(), s.request(r)); err != nil || !r.Done || r.Halt != nil {
		t.Fatal(err, r.Done, r.Halt)
	}
	for _, e := range r.Entries {
		want := fleet.Kept
		if e.Host == "h04" {
			want = fleet.Passed
		}
		if e.Stage != want || s.touched(e.Host) != (want == fleet.Kept) {
			t.Errorf("%s is %s", e.Host, e.Stage)
		}
		if want == fleet.Kept && (!fleet.Gained(e.Gains) || !s.hosts[e.Host].AnotherConnection()) {
			t.Errorf("%s: %+v; another connection: %v", e.Host, e.Gains, s.hosts[e.Host].AnotherConnection())
		}
	}
	if fmt.Sprint(r.Batches) != "[1 2 4 1]" {
		t.Errorf("batches %v", r.Batches)
	}
	// Once more: there is nothing to do.
	again := s.rollout(usual)
	if err := Roll(t.Context(), s.request(again)); err != nil || !again.Done || len(again.Batches) != 0 {
		t.Error(err, again.Done, again.Batches)
	}
}

// One host after the other fails in its way: the rollout stops there, what its
// batch changed is taken back, and nobody else is touched.
func TestRollHalts(t *testing.T) {
	const victim = "h02" // of the second batch, with h01
	fail := func(what string, after bool, err error) func(*stage, *fleettest.Host) {
		return func(_ *stage, h *fleettest.Host) {
			h.Fails = func(w string, a bool) error {
				if w == what && a == after {
					return err
				}
				return nil
			}
		}
	}
	dies := func(at string, after bool) func(*stage, *fleettest.Host) {
		return func(_ *stage, h *fleettest.Host) {
			gone := false
			h.Fails = func(w string, a bool) error {
				gone = gone || w == at && a == after
				if gone {
					return fmt.Errorf("%w: connection closed", fleet.ErrLost)
				}
				return nil
			}
		}
	}
	for _, c := range []struct {
		name   string
		fix    func(*stage, *fleettest.Host)
		batch  int
		why    string
		stage  fleet.Stage
		stands bool // changes of the victim stand in the end
	}{
		{"no module", func(_ *stage, h *fleettest.Host) {
			h.Unsupported = &tune.Unsupported{Reason: tune.NoModule, What: "the kernel has no bbr"}
		}, -1, "no bbr", fleet.Waiting, false},
		{"conflict", func(_ *stage, h *fleettest.Host) { h.Conflicts = []tune.Conflict{{What: "a file wins"}} }, -1, "a file wins", fleet.Waiting, false},
		{"no rights", func(_ *stage, h *fleettest.Host) { h.Facts.Root = false }, -1, "may not change", fleet.Waiting, false},
		{"disk", func(_ *stage, h *fleettest.Host) { h.Facts.DiskFree = new(int64(1000)) }, -1, "are free", fleet.Waiting, false},
		{"clock", func(_ *stage, h *fleettest.Host) { h.Facts.ClockOffset = new(-3600.0) }, -1, "clock", fleet.Waiting, false},
		{"unreachable", fail("look", false, fmt.Errorf("%w: refused", fleet.ErrLost)), -1, "does not answer", fleet.Waiting, false},
		{"refused", fail("try", false, fmt.Errorf("%w: read-only", fleet.ErrRefused)), 1, "read-only", fleet.Measured, false},
		{"taken back", fail("try", false, fmt.Errorf("%w: fq", fleet.ErrReverted)), 1, "could not be tried", fleet.Reverted, false},
		{"try's answer lost", fail("try", true, fmt.Errorf("%w: eof", fleet.ErrLost)), 1, "could not be tried", fleet.Reverted, false},
		{"dies before the trial", dies("try", false), 1, "could not be tried", fleet.Adrift, false},
		{"dies in the trial", dies("try", true), 1, "could not be tried", fleet.Adrift, false},
		{"dies before it is verified", dies("verify", false), 1, "not in force", fleet.Adrift, false},
		{"dies once it is confirmed", dies("confirm", true), 1, "could not be confirmed", fleet.Adrift, true},
		{"not in force", func(_ *stage, h *fleettest.Host) {
			h.Fails = func(w string, after bool) error {
				if w == "verify" && !after {
					h.Set(fleettest.CC, "reno")
				}
				return nil
			}
		}, 1, "not in force", fleet.Reverted, false},
		{"slower", func(s *stage, _ *fleettest.Host) { s.slow[victim] = true }, 1, "slower", fleet.Reverted, false},
		{"not kept", fail("keep", false, errors.New("disk full")), 1, "permanent: disk full", fleet.Reverted, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, 8)
			c.fix(s, s.hosts[victim])
			r := s.rollout(usual)
			if err := Roll(t.Context(), s.request(r)); err != nil {
				t.Fatal(err)
			}
			if r.Done || r.Halt == nil || r.Halt.Host != victim || r.Halt.Batch != c.batch || !strings.Contains(r.Halt.Why, c.why) {
				t.Fatalf("halt %+v", r.Halt)
			}
			s.pass(time.Hour) // no timer is left to act
			for i, e := range r.Entries {
				kept := i == 0 && c.batch == 1
				stands := kept || e.Host == victim && c.stands
				if s.touched(e.Host) != stands || (e.Stage == fleet.Kept) != kept {
					t.Errorf("%s is %s, touched: %v", e.Host, e.Stage, s.touched(e.Host))
				}
				if e.Host == victim && e.Stage != c.stage {
					t.Errorf("it is %s, not %s: %s", e.Stage, c.stage, e.Error)
				}
			}
			if c.name == "slower" && (r.Entries[2].Since == nil || r.Entries[2].Since.Down[0] != 100e6) {
				t.Errorf("after the revert: %+v", r.Entries[2].Since)
			}
			// Mended, it goes on from there.
			s.slow, s.hosts[victim].Fails = map[string]bool{}, nil
			s.hosts[victim].Unsupported, s.hosts[victim].Conflicts = nil, nil
			s.hosts[victim].Facts = s.hosts["h00"].Facts
			again := s.load()
			again.Resume()
			if err := Roll(t.Context(), s.request(again)); err != nil || !again.Done {
				t.Fatalf("resumed: %v, %+v", err, again.Halt)
			}
			for _, e := range again.Entries {
				if e.Stage != fleet.Kept || s.hosts[e.Host].Phase() != outcome.Kept {
					t.Errorf("resumed: %s is %s", e.Host, e.Stage)
				}
			}
		})
	}
}

// Interrupted, the batch under way is taken back.
func TestRollInterrupted(t *testing.T) {
	s := newStage(t, 6)
	ctx, cancel := context.WithCancel(t.Context())
	q := s.request(s.rollout(usual))
	q.Tell = func(v fleet.Event) {
		if v.Host == "h02" && v.Do == fleet.Confirm {
			cancel()
		}
	}
	if err := Roll(ctx, q); err != nil {
		t.Fatal(err)
	}
	if q.Rollout.Halt == nil || q.Rollout.Halt.Why != "it was interrupted" {
		t.Fatalf("%+v", q.Rollout.Halt)
	}
	for _, name := range s.names {
		if s.touched(name) != (name == "h00") {
			t.Errorf("%s is touched: %v", name, s.touched(name))
		}
	}
}

// A rollout is killed at any moment, any number of times, and resumed: whatever
// it had done, every host is confirmed or as it was, its journal says the same as
// its values, and in the end all are changed.
func TestRollKilled(t *testing.T) {
	counting := newStage(t, 5)
	if err := Roll(t.Context(), counting.request(counting.rollout(usual))); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(14, 1))
	for moment := 1; moment <= counting.steps; moment++ {
		s := newStage(t, 5)
		slower := moment%4 == 0
		s.slow["h03"] = slower
		s.left = moment
		r := s.rollout(usual)
		if err := Roll(t.Context(), s.request(r)); err == nil && s.dead {
			t.Fatal("it did not notice that it is dead")
		}
		for kills := 0; ; kills++ {
			s.whole(moment)
			s.dead, s.left = false, -1
			if kills < 3 {
				s.left = 1 + random.IntN(counting.steps)
			}
			if random.IntN(2) == 0 {
				s.pass(time.Hour)
			}
			if s.file == nil { // killed before there was a file: begun anew
				r = s.rollout(usual)
			} else {
				r = s.load()
				r.Resume()
			}
			err := Roll(t.Context(), s.request(r))
			if !s.dead {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if r.Done == slower {
			t.Fatalf("moment %d: done: %v, halt %+v", moment, r.Done, r.Halt)
		}
		for i, e := range r.Entries {
			kept := !slower || i < 3
			if kept != (e.Stage == fleet.Kept) || kept != s.touched(e.Host) {
				t.Fatalf("moment %d: %s is %s, touched: %v; halt %+v", moment, e.Host, e.Stage, s.touched(e.Host), r.Halt)
			}
		}
	}
}

// whole says where a host is neither as it was, nor confirmed, nor on a trial
// that its timer ends.
func (s *stage) whole(moment int) {
	s.t.Helper()
	for _, name := range s.names {
		switch phase := s.hosts[name].Phase(); {
		case phase == outcome.Idle && !s.touched(name):
		case phase == outcome.Tried:
		case phase == outcome.Kept && s.hosts[name].Values()[fleettest.CC] == "bbr":
		default:
			s.t.Fatalf("killed at %d: %s is %s with %v", moment, name, phase, s.hosts[name].Values())
		}
	}
}
