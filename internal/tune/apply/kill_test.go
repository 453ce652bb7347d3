package apply

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/tune/journal"
)

// crash is how a run ends that does not end by itself.
type crash struct {
	name   string
	tear   bool // the line being written is on the disk in half
	reboot bool
	names  bool // reboot: the disk has the names already, not what is in the files
}

var crashes = []crash{
	{name: "killed"},
	{name: "killed within a line", tear: true},
	{name: "power cut", reboot: true},
	{name: "power cut within a line", tear: true, reboot: true, names: true},
	{name: "power cut, names written", reboot: true, names: true},
}

func (c crash) happen(m *machine) {
	if c.reboot {
		m.disk.cut(c.names)
		m.boot()
	}
}

// after says what a host may be after a run: as before it, or as it makes it.
type after struct {
	before, made string
	// booted is a host that booted without the changes. After a reboot, what
	// a change was about may be as it was then, or as it was before the change.
	booted string
}

func (c crash) after(n uint64, order func(*machine) Order) after {
	m := generate(seeded(n))
	a := after{before: m.all()}
	m.boot()
	a.booted = m.all()
	m = generate(seeded(n))
	if _, err := m.tuner().Apply(context.Background(), order(m), yes); err != nil {
		panic(err)
	}
	c.happen(m)
	a.made = m.all()
	return a
}

// undone says what is wrong with a host that ought to be as before.
func (a after) undone(m *machine, c crash) string {
	got := m.all()
	if !c.reboot {
		if got != a.before {
			return got + "\nwant\n" + a.before
		}
		return ""
	}
	may := strings.Split(a.before+"\n"+a.booted, "\n")
	for line := range strings.SplitSeq(got, "\n") {
		if !slices.Contains(may, line) {
			return line
		}
	}
	m.disk.cut(false)
	m.boot()
	if got := m.all(); got != a.booted {
		return "after one more reboot " + got + "\nwant\n" + a.booted
	}
	return ""
}

// Killed before any effect of an application, the next run finds out and takes
// back what there is, or all was done. The run that does that is killed before
// any effect of its own, too: of the first host before each, of the others before
// a random one in eight.
func TestKilledEverywhere(t *testing.T) {
	count := uint64(4)
	if testing.Short() {
		count = 1
	}
	seed := rand.Uint64()
	sample := rand.New(rand.NewPCG(seed, 1))
	kills := 0
	for n := range count {
		order := func(m *machine) Order { return m.order(seeded(n + 77)) }
		for _, c := range crashes {
			want := c.after(n, order)
			for at, more := 1, true; more; at++ {
				first := func() *machine {
					m := generate(seeded(n))
					m.tear = c.tear
					o := order(m)
					more = m.killed(at, func() { _, _ = m.tuner().Apply(t.Context(), o, yes) })
					c.happen(m)
					return m
				}
				m := first()
				if !more {
					break
				}
				kills++
				where := fmt.Sprintf("host %d, %s before effect %d", n, c.name, at)
				m.effects = 0
				pending := recovered(t, m, where, c, want)
				recovering := m.effects
				for second := 1; !pending && !testing.Short(); second++ {
					if n > 0 && second < recovering && sample.IntN(8) > 0 {
						continue
					}
					m := first()
					killed := m.killed(second, func() { _, _ = m.tuner().Recover(t.Context()) })
					if !killed {
						break
					}
					kills++
					c.happen(m)
					recovered(t, m, fmt.Sprintf("%s, and recovering before its effect %d", where, second), c, want)
				}
			}
		}
	}
	t.Logf("%d kills, sampled by %d", kills, seed)
}

// recovered runs what every command begins with and looks at the host. pending
// says that a trial was waiting, whose timer then took it back.
func recovered(t *testing.T, m *machine, where string, c crash, want after) (pending bool) {
	t.Helper()
	s, err := m.tuner().State()
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	undo, err := m.tuner().Recover(t.Context())
	var waits *PendingError
	if errors.As(err, &waits) {
		pending = true
		if len(m.timers) != 1 {
			t.Fatalf("%s: a trial without a timer", where)
		}
		for round, due := range m.timers {
			m.now = due
			if did, err := m.tuner().Expire(t.Context(), round); !did || err != nil {
				t.Fatalf("%s: the timer: %v, %v", where, did, err)
			}
		}
	} else if err != nil {
		t.Fatalf("%s: recover: %v", where, err)
	}
	switch {
	case s.Phase == journal.Kept:
		if got := m.all(); got != want.made {
			t.Fatalf("%s:\n%s\nwant\n%s", where, got, want.made)
		}
	case s.Phase != journal.Idle && !pending && undo == nil:
		t.Fatalf("%s: %s and not reported", where, s.Phase)
	default:
		if wrong := want.undone(m, c); wrong != "" {
			t.Fatalf("%s (%s):\n%s", where, s.Phase, wrong)
		}
	}
	made := s.Phase == journal.Kept
	if s, err = m.tuner().State(); err != nil || (s.Phase == journal.Kept) != made || !made && s.Phase != journal.Idle {
		t.Fatalf("%s: the journal ends %s with %d steps, %v", where, s.Phase, len(s.Steps), err)
	}
	for round := range m.timers {
		if did, err := m.tuner().Expire(t.Context(), round); did || err != nil {
			t.Fatalf("%s: a timer of what is over: %v, %v", where, did, err)
		}
	}
	m.timers = nil
	drain(t, m)
	return pending
}

// The same of taking back: killed anywhere, the next run goes on.
func TestRevertKilledEverywhere(t *testing.T) {
	for n := range uint64(6) {
		order := func(m *machine) Order { return m.order(seeded(n + 77)) }
		for _, c := range crashes {
			want := c.after(n, order)
			for at, more := 1, true; more; at++ {
				m := generate(seeded(n))
				m.tear = c.tear
				if _, err := m.tuner().Apply(t.Context(), order(m), yes); err != nil {
					t.Fatal(err)
				}
				more = m.killed(at, func() { _, _ = m.tuner().Revert(t.Context(), Way{}) })
				if !more {
					break
				}
				c.happen(m)
				recovered(t, m, fmt.Sprintf("host %d, revert %s before effect %d", n, c.name, at), c, want)
			}
		}
	}
}
