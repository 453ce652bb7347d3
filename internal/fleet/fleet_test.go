package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/fleet/inventory"
	"unchoke/internal/record"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

func TestBatches(t *testing.T) {
	for _, c := range []struct {
		text  string
		hosts int
		want  string
	}{
		{"1,5,20%", 50, "[1 5 10 10 10 10 4]"},
		{"1,5,20%", 3, "[1 2]"},
		{"1", 3, "[1 1 1]"},
		{"100%", 7, "[7]"},
		{"1%", 3, "[1 1 1]"},
		{"2, 50%", 9, "[2 4 3]"},
		{"1", 0, "[]"},
	} {
		b, err := ParseBatches(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(b.Cut(c.hosts)); got != c.want {
			t.Errorf("%s of %d: %s, want %s", c.text, c.hosts, got, c.want)
		}
	}
	for _, text := range []string{"", "0", "x", "1,,2", "101%", "-1", "99999999999", "1%%", strings.Repeat("1,", 2000) + "1"} {
		if b, err := ParseBatches(text); err == nil {
			t.Errorf("%.20q: %v", text, b)
		}
	}
}

func FuzzBatches(f *testing.F) {
	f.Add("1,5,20%", 50)
	f.Fuzz(func(t *testing.T, text string, hosts int) {
		b, err := ParseBatches(text)
		if err != nil || hosts < 0 || hosts > 20_000 {
			return
		}
		again, err := ParseBatches(b.String())
		if err != nil || !slices.Equal(again, b) {
			t.Fatalf("%q is %q again: %v", text, b.String(), err)
		}
		sum := 0
		for _, n := range b.Cut(hosts) {
			if n < 1 {
				t.Fatalf("%q: a batch of %d", text, n)
			}
			sum += n
		}
		if sum != hosts {
			t.Fatalf("%q: %d of %d hosts", text, sum, hosts)
		}
	})
}

func plan(changes ...string) *tune.Plan {
	p := &tune.Plan{}
	for _, key := range changes {
		p.Changes = append(p.Changes, tune.Change{Kind: tune.Sysctl, Key: key, When: tune.Now, Old: new("cubic"), New: new("bbr")})
	}
	return p
}

func TestPreflight(t *testing.T) {
	well := Facts{Root: true, Status: outcome.Status{Phase: outcome.Idle}, DiskFree: new(int64(1 << 30)), ClockOffset: new(0.4)}
	with := func(change func(*Facts)) *Facts {
		f := well
		change(&f)
		return &f
	}
	conflict := plan("a")
	conflict.Conflicts = []tune.Conflict{{What: "a file wins", Next: "--resolve"}}
	unsupported := &tune.Plan{Unsupported: &tune.Unsupported{Reason: tune.NoModule, What: "no bbr"}}
	for _, c := range []struct {
		name    string
		facts   *Facts
		plan    *tune.Plan
		despite bool
		want    Fitness
		codes   []string
	}{
		{"ready", &well, plan("a"), false, Ready, nil},
		{"nothing to do", &well, plan(), false, Settled, nil},
		{"nothing to do, and changes stand", with(func(f *Facts) { f.Status.Phase = outcome.Kept }), plan(), false, Settled, nil},
		{"nothing to do, without rights", with(func(f *Facts) { f.Root = false }), plan(), false, Settled, nil},
		{"nothing known of disk and clock", with(func(f *Facts) { f.DiskFree, f.ClockOffset = nil, nil }), plan("a"), false, Ready, nil},
		{"unsupported", &well, unsupported, false, Refused, []string{"no-module"}},
		{"no rights", with(func(f *Facts) { f.Root = false }), plan("a"), false, Refused, []string{Permission}},
		{"conflict", &well, conflict, false, Refused, []string{Conflicting}},
		{"conflict, despite", &well, conflict, true, Ready, nil},
		{"disk", with(func(f *Facts) { f.DiskFree = new(int64(4096)) }), plan("a"), false, Refused, []string{Disk}},
		{"clock", with(func(f *Facts) { f.ClockOffset = new(-61.0) }), plan("a"), false, Refused, []string{Clock}},
		{"on trial", with(func(f *Facts) { f.Status.Phase = outcome.Tried }), plan(), false, Refused, []string{OnTrial}},
		{"interrupted", with(func(f *Facts) { f.Status.Phase = outcome.Persisting }), plan(), false, Refused, []string{Interrupted}},
		{"earlier changes", with(func(f *Facts) { f.Status.Phase = outcome.Kept }), plan("a"), false, Refused, []string{Standing}},
		{"no journal", with(func(f *Facts) { f.Status.Lost = &outcome.Lost{} }), plan(), false, Refused, []string{LostJournal}},
		{"all at once", with(func(f *Facts) { f.Root = false; f.DiskFree = new(int64(0)) }), conflict, false, Refused, []string{Permission, Conflicting, Disk}},
	} {
		v := Preflight(c.facts, c.plan, 2*time.Minute, c.despite)
		var codes []string
		for _, r := range v.Reasons {
			codes = append(codes, r.Code)
		}
		if v.Fitness != c.want || !slices.Equal(codes, c.codes) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	if v := Preflight(with(func(f *Facts) { f.ClockOffset = new(12.0) }), plan("a"), 20*time.Second, false); v.Fitness != Refused {
		t.Errorf("a clock that is off by more than half of a trial: %+v", v)
	}
}

func TestGain(t *testing.T) {
	four := []float64{100e6, 101e6, 99e6, 100.5e6}
	scale := func(xs []float64, by float64) (out []float64) {
		for _, x := range xs {
			out = append(out, x*by)
		}
		return out
	}
	eight := slices.Concat(four, scale(four, 1.001))
	for _, c := range []struct {
		name          string
		before, after []float64
		want          Answer
		suspicious    bool
	}{
		{"twice", four, scale(four, 2), Faster, false},
		{"the same", four, scale(four, 1.01), Same, false},
		{"half, at the first look", four, scale(four, 0.5), Unclear, true},
		{"half, at the second look", four, scale(eight, 0.5), Slower, false},
		{"half, with more of each", eight, scale(eight, 0.5), Slower, false},
		{"a little less is noise", eight, scale(eight, 0.95), Same, false},
		{"scatter", []float64{50e6, 200e6, 90e6, 120e6}, []float64{60e6, 180e6, 100e6, 40e6}, Unclear, false},
		{"nothing arrives any more", four, []float64{0, 0, 0, 0, 0, 0, 0, 0}, Slower, false},
		{"nothing measured", four, nil, Unclear, false},
		{"too few", four[:2], scale(four[:2], 0.1), Unclear, false},
	} {
		g := NewGain(record.Down, c.before, c.after)
		if g.Answer != c.want || g.Suspicious != c.suspicious {
			t.Errorf("%s: %+v", c.name, g)
		}
		if _, err := json.Marshal(g); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A path that only scatters halts a rollout rarely: both looks together call it
// slower less than once in two hundred, each direction of each host.
func TestGainFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) (out []float64) {
		for range n {
			out = append(out, 100e6*(1+0.3*random.NormFloat64()))
		}
		return out
	}
	halts := 0
	const tries = 4000
	for range tries {
		before, after := draw(4), draw(4)
		if g := NewGain(record.Down, before, after); g.Suspicious {
			if NewGain(record.Down, before, append(after, draw(4)...)).Answer == Slower {
				halts++
			}
		} else if g.Answer == Slower {
			halts++
		}
	}
	if halts > tries/200 {
		t.Errorf("%d of %d", halts, tries)
	}
}

// No two tests of a round share anything, each test is in one round, and disjoint
// pairs do run side by side.
func TestSchedule(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var tests []Test
		for range random.IntN(30) {
			var uses []string
			for range 1 + random.IntN(4) {
				uses = append(uses, fmt.Sprint("h", random.IntN(12)))
			}
			tests = append(tests, Test{uses})
		}
		seen := map[int]bool{}
		for _, round := range Schedule(tests) {
			taken := map[string]int{}
			for _, i := range round {
				if seen[i] {
					t.Fatalf("test %d twice", i)
				}
				seen[i] = true
				for _, u := range tests[i].Uses {
					if other, used := taken[u]; used && other != i {
						t.Fatalf("%s is used by %d and %d", u, other, i)
					}
					taken[u] = i
				}
			}
		}
		if len(seen) != len(tests) {
			t.Fatalf("%d of %d", len(seen), len(tests))
		}
	}
	if got := Schedule([]Test{{[]string{"a", "b"}}, {[]string{"c", "d"}}, {[]string{"b", "c"}}}); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// A rollout's file is what it was; what this program cannot have written is
// refused.
func TestRolloutFile(t *testing.T) {
	s := Settings{Batch: "1,50%", Timeout: 120, Rounds: 4, Seconds: 1}
	r, err := NewRollout("id", "v", time.Unix(0, 0).UTC(), s, []Member{{Host: inventory.Host{Name: "a", Address: "a"}}, {Host: inventory.Host{Name: "b", Address: "192.0.2.1", SSH: []string{"-J", "x"}}}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Rollout
	if err := json.Unmarshal(b, &again); err != nil || again.Check() != nil || !reflect.DeepEqual(&again, r) {
		t.Errorf("%v, %v\n%s", err, again.Check(), b)
	}
	for _, spoil := range []func(*Rollout){
		func(r *Rollout) { r.Schema = "x" },
		func(r *Rollout) { r.Settings.Batch = "x" },
		func(r *Rollout) { r.Entries[0].Stage = "x" },
		func(r *Rollout) { r.Entries[0].Stage = Tried },
		func(r *Rollout) { r.Entries[1].Host = "a" },
		func(r *Rollout) { r.Entries[0] = nil },
		func(r *Rollout) { r.Entries[0].At.Address = "-oProxyCommand=x" },
		func(r *Rollout) { r.Entries[1].At.SSH = []string{"-W", "x"} },
	} {
		var r Rollout
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatal(err)
		}
		spoil(&r)
		if r.Check() == nil {
			t.Errorf("%+v", r)
		}
	}
	if _, err := NewRollout("id", "v", time.Time{}, s, nil); err == nil {
		t.Error("a rollout to nobody")
	}
	if _, err := NewRollout("id", "v", time.Time{}, s, []Member{{Host: inventory.Host{Name: "a"}}, {Host: inventory.Host{Name: "a"}}}); err == nil {
		t.Error("a host twice")
	}
}

// What looks slower is measured once more, also where the first look is as sure as
// the second has to be: five measurements that all fall give a p of 0.0079.
func TestSecondLook(t *testing.T) {
	was := Rates{Down: []float64{100e6, 101e6, 99e6, 100.5e6, 99.5e6}, Up: []float64{50e6, 51e6, 49e6, 50.5e6, 49.5e6}}
	half := Rates{Down: []float64{50e6, 50.5e6, 49.5e6, 50.2e6, 49.8e6}, Up: was.Up}
	for name, c := range map[string]struct {
		second Rates
		halts  bool
	}{"slower": {half, true}, "as before": {was, false}} {
		r, _ := NewRollout("id", "v", time.Time{}, Settings{Batch: "1", Timeout: 60, Rounds: 5}, []Member{{Host: inventory.Host{Name: "a", Address: "a"}}})
		e := r.Entries[0]
		e.Stage, e.Plan, e.Before, r.Begun, r.Batches = Confirmed, plan("mine"), &was, true, []int{1}
		look := func(rates Rates) {
			r.Begin(Step{"a", Measure}, time.Time{})
			r.After(Event{Step: Step{"a", Measure}, Rates: &rates})
		}
		look(half)
		if got := r.Next(); r.Halt != nil || len(got) != 1 || got[0].Do != Measure || !e.Gains[0].Suspicious || e.Gains[0].Answer == Slower {
			t.Errorf("%s: after the first look %+v, %v, %+v", name, r.Halt, got, e.Gains)
		}
		look(c.second)
		if (r.Halt != nil) != c.halts || (e.Stage == Judged) == c.halts || len(e.After.Down) != 10 {
			t.Errorf("%s: after the second look %+v, %s, %+v", name, r.Halt, e.Stage, e.Gains)
		}
	}
}

// What stands on a host is the rollout's only where it is of its plan.
func TestInspectForeignChanges(t *testing.T) {
	r, _ := NewRollout("id", "v", time.Time{}, Settings{Batch: "1", Timeout: 60}, []Member{{Host: inventory.Host{Name: "a", Address: "a"}}})
	e := r.Entries[0]
	e.Stage, e.Plan, r.Begun, r.Batches = Trying, plan("mine"), true, []int{1}
	r.Resume()
	if got := r.Next(); len(got) != 1 || got[0].Do != Inspect {
		t.Fatalf("%v", got)
	}
	status := outcome.Status{Phase: outcome.Kept, Items: []outcome.Item{{Change: plan("theirs").Changes[0]}}}
	r.Begin(Step{"a", Inspect}, time.Time{})
	r.After(Event{Step: Step{"a", Inspect}, Status: &status})
	if r.Halt == nil || e.Stage != Adrift || len(r.Next()) != 0 {
		t.Errorf("%+v, %s, %v", r.Halt, e.Stage, r.Next())
	}
}

// A resumed rollout that a host's preflight refuses says in which batch it was, and takes
// back what stands on trial there.
func TestResumeRefused(t *testing.T) {
	var members []Member
	for _, name := range []string{"a", "b", "c"} {
		members = append(members, Member{Host: inventory.Host{Name: name, Address: name}})
	}
	r, _ := NewRollout("id", "v", time.Time{}, Settings{Batch: "1,2", Timeout: 60}, members)
	a, b, c := r.Entries[0], r.Entries[1], r.Entries[2]
	a.Stage, b.Stage, b.Plan = Kept, Tried, plan("mine")
	b.Batch, c.Batch, r.Batch, r.Begun, r.Batches = 1, 1, 1, true, []int{1, 2}
	r.Resume()
	status := outcome.Status{Phase: outcome.Kept, Items: []outcome.Item{{Change: plan("mine").Changes[0]}}}
	r.Begin(Step{"b", Inspect}, time.Time{})
	r.After(Event{Step: Step{"b", Inspect}, Status: &status})
	if got := r.Next(); len(got) != 1 || got[0] != (Step{"c", Look}) {
		t.Fatalf("%v", got)
	}
	r.Begin(Step{"c", Look}, time.Time{})
	r.After(Event{Step: Step{"c", Look}, Err: ErrLost})
	if r.Halt == nil || r.Halt.Batch != 1 || r.Halt.Host != "c" {
		t.Errorf("%+v", r.Halt)
	}
	if got := r.Next(); len(got) != 1 || got[0] != (Step{"b", Revert}) {
		t.Errorf("%v, of %s", got, b.Stage)
	}
}

func FuzzRollout(f *testing.F) {
	r, _ := NewRollout("id", "v", time.Time{}, Settings{Batch: "1", Rounds: 4}, []Member{{Host: inventory.Host{Name: "a", Address: "a"}}})
	b, _ := json.Marshal(r)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Rollout
		if json.Unmarshal(b, &r) != nil || r.Check() != nil {
			return
		}
		r.Resume()
		// Whatever the file says, hosts that answer nothing end it.
		for range 100_000 {
			steps := r.Next()
			if len(steps) == 0 {
				return
			}
			for _, s := range steps {
				r.Begin(s, time.Time{})
				r.After(Event{Step: s, Err: ErrLost})
			}
		}
		t.Fatalf("it does not end: %v", r.Next())
	})
}
