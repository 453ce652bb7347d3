package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"unchoke/internal/hint"
	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
)

func yes(*Trial) error { return nil }

// seeded is the source of the nth generated host.
func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 5)) }

func drain(t *testing.T, m *machine) {
	t.Helper()
	if len(m.timers) > 0 {
		t.Errorf("a timer is left: %v", m.timers)
	}
	if m.locked {
		t.Error("the lock is left")
	}
	for name := range m.disk.names {
		if strings.HasSuffix(name, ".unchoke-new") {
			t.Errorf("%s is left", name)
		}
	}
}

// hosts is how many generated hosts a property is tried on.
func hosts() uint64 {
	if testing.Short() {
		return 100
	}
	return 1000
}

// revert(apply(x)) = x, whatever x is.
func TestRevertRestores(t *testing.T) {
	for n := range hosts() {
		m := generate(seeded(n))
		before := m.all()
		order := m.order(seeded(n + 1<<32))
		if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
			t.Fatalf("host %d: apply: %v\n%s", n, err, before)
		}
		for _, c := range order.Changes {
			if have, _ := m.Read(c.Kind, c.Key); !holds(c.Kind, c.Key, c.New, have) {
				t.Fatalf("host %d: %s %s is %s", n, c.Kind, c.Key, tune.Words(c.Kind, have))
			}
		}
		undo, err := m.tuner().Revert(t.Context(), Way{})
		if err != nil || len(undo.Left) > 0 && !strings.Contains(leftText(undo.Left), "in use") {
			t.Fatalf("host %d: revert: %+v, %v", n, undo, err)
		}
		if after := m.all(); after != before {
			t.Fatalf("host %d:\n%s\nwas\n%s\nby\n%+v", n, after, before, order)
		}
		drain(t, m)
	}
}

// After a reboot with the changes in force, too: the host is then as if it had
// booted without them.
func TestRevertAfterReboot(t *testing.T) {
	for n := range hosts() {
		m, never := generate(seeded(n)), generate(seeded(n))
		order := m.order(seeded(n + 1<<32))
		if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
			t.Fatalf("host %d: apply: %v", n, err)
		}
		m.disk.cut(false)
		m.boot()
		if _, err := m.tuner().Revert(t.Context(), Way{Force: n%2 == 0}); err != nil {
			t.Fatalf("host %d: revert: %v", n, err)
		}
		m.disk.cut(false)
		m.boot()
		never.boot()
		never.boot()
		if got, want := m.all(), never.all(); got != want {
			t.Fatalf("host %d:\n%s\nwould be\n%s\nby\n%+v", n, got, want, order)
		}
	}
}

func TestTryAndConfirm(t *testing.T) {
	m := generate(seeded(3))
	order := m.order(seeded(8))
	before := m.all()
	trial, err := m.tuner().Try(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.timers) != 1 {
		t.Fatalf("timers %v", m.timers)
	}
	for _, c := range order.Changes {
		have, _ := m.Read(c.Kind, c.Key)
		if made := holds(c.Kind, c.Key, c.New, have); made != (c.When == tune.Now) {
			t.Errorf("%s, which counts %s: made %v", c.Key, c.When, made)
		}
	}
	var pending *PendingError
	if _, err := m.tuner().Try(t.Context(), order); !errors.As(err, &pending) {
		t.Errorf("a second trial: %v", err)
	}
	if _, err := m.tuner().Confirm(t.Context(), "aaaa-aaaa"); err == nil {
		t.Error("a wrong token confirms")
	}
	if _, err := m.tuner().Confirm(t.Context(), strings.ToUpper(trial.Token)); err != nil {
		t.Error(err)
	}
	drain(t, m)
	if _, err := m.tuner().Confirm(t.Context(), trial.Token); err == nil {
		t.Error("a token confirms twice")
	}
	if did, err := m.tuner().Expire(t.Context(), trial.Round); did || err != nil {
		t.Errorf("the timer took back what was confirmed: %v", err)
	}
	if _, err := m.tuner().Revert(t.Context(), Way{}); err != nil {
		t.Fatal(err)
	}
	if after := m.all(); after != before {
		t.Errorf("%s\nwas\n%s", after, before)
	}
}

// A trial that is begun to persist is permanent once it is confirmed, and as it was
// before if nobody does.
func TestTryToPersist(t *testing.T) {
	for n := uint64(0); n < hosts(); n += 50 {
		for _, confirmed := range []bool{true, false} {
			m := generate(seeded(n))
			order := m.order(seeded(n + 1<<32))
			order.Persist = true
			before := m.all()
			trial, err := m.tuner().Try(t.Context(), order)
			if err != nil {
				t.Fatalf("host %d: try: %v", n, err)
			}
			for _, c := range order.Changes {
				have, _ := m.Read(c.Kind, c.Key)
				if made := holds(c.Kind, c.Key, c.New, have); made && c.When == tune.Boot {
					t.Errorf("host %d: %s is made before it is confirmed", n, c.Key)
				}
			}
			if confirmed {
				if _, err := m.tuner().Confirm(t.Context(), trial.Token); err != nil {
					t.Fatalf("host %d: confirm: %v", n, err)
				}
				for _, c := range order.Changes {
					if have, _ := m.Read(c.Kind, c.Key); !holds(c.Kind, c.Key, c.New, have) {
						t.Errorf("host %d: %s is not made", n, c.Key)
					}
				}
				_, err = m.tuner().Revert(t.Context(), Way{})
			} else {
				_, err = m.tuner().Expire(t.Context(), trial.Round)
			}
			if after := m.all(); err != nil || after != before {
				t.Fatalf("host %d: confirmed %v, %v\n%s\nwas\n%s", n, confirmed, err, after, before)
			}
		}
	}
}

func TestExpire(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	trial, err := m.tuner().Try(t.Context(), m.order(seeded(8)))
	if err != nil {
		t.Fatal(err)
	}
	m.now = trial.Deadline
	if _, err := m.tuner().Confirm(t.Context(), trial.Token); err == nil || !strings.Contains(err.Error(), "time was over") || hint.Of(err) == "" {
		t.Errorf("confirmed after the deadline: %v", err)
	}
	if did, err := m.tuner().Expire(t.Context(), "another"); did || err != nil {
		t.Errorf("the timer of another round: %v, %v", did, err)
	}
	if did, err := m.tuner().Expire(t.Context(), trial.Round); !did || err != nil {
		t.Fatalf("%v, %v", did, err)
	}
	if after := m.all(); after != before {
		t.Errorf("%s\nwas\n%s", after, before)
	}
	drain(t, m)
}

// The timer takes a trial back also where the disk is full by then, and the next
// run closes the journal. What somebody changed meanwhile is left.
func TestExpireOnFullDisk(t *testing.T) {
	for _, drift := range []bool{false, true} {
		m := generate(seeded(3))
		before := m.all()
		trial, err := m.tuner().Try(t.Context(), m.order(seeded(8)))
		if err != nil {
			t.Fatal(err)
		}
		was := m.sysctls[defaultCC]
		if drift {
			m.sysctls[defaultCC] = "vegas"
		}
		m.now, m.fullAt = trial.Deadline, 1
		var unwritten *UnwrittenError
		did, err := m.tuner().Expire(t.Context(), trial.Round)
		if !did || !errors.As(err, &unwritten) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "taken back") || hint.Of(err) == "" {
			t.Errorf("%v, %v", did, err)
		}
		if drift != (len(unwritten.Left) == 1) || drift != (m.sysctls[defaultCC] == "vegas") {
			t.Errorf("left %+v", unwritten.Left)
		}
		if after := m.all(); !drift && after != before {
			t.Errorf("%s\nwas\n%s", after, before)
		}
		if drift {
			m.sysctls[defaultCC] = was
		}
		m.fullAt = 0
		if undo, err := m.tuner().Recover(t.Context()); err != nil || undo == nil || m.all() != before {
			t.Errorf("recovered %+v, %v", undo, err)
		}
		if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle {
			t.Errorf("%s, %v", s.Phase, err)
		}
		drain(t, m)
	}
}

// Whatever line of the journal finds the disk full, the host is as before or all
// was done, and the next run closes the journal.
func TestFullDisk(t *testing.T) {
	for n := range uint64(20) {
		for at, more := 1, true; more; at++ {
			m := generate(seeded(n))
			before := m.all()
			order := m.order(seeded(n + 1))
			m.fullAt = at
			_, err := m.tuner().Apply(t.Context(), order, yes)
			more = err != nil
			if more && (!errors.Is(err, syscall.ENOSPC) || m.all() != before) {
				t.Fatalf("host %d, line %d: %v\n%s\nwas\n%s", n, at, err, m.all(), before)
			}
			if _, reverted := errors.AsType[*RevertedError](err); more && !reverted && !Refused(err) {
				t.Fatalf("host %d, line %d: %v", n, at, err)
			}
			m.fullAt = 0
			for round, due := range m.timers {
				m.now = due
				if _, err := m.tuner().Expire(t.Context(), round); err != nil {
					t.Fatalf("host %d, line %d: the timer: %v", n, at, err)
				}
			}
			if _, err := m.tuner().Recover(t.Context()); err != nil {
				t.Fatalf("host %d, line %d: recover: %v", n, at, err)
			}
			if !more {
				if _, err := m.tuner().Revert(t.Context(), Way{}); err != nil {
					t.Fatalf("host %d: %v", n, err)
				}
			}
			if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle || m.all() != before {
				t.Fatalf("host %d, line %d: the journal ends %s, %v", n, at, s.Phase, err)
			}
		}
	}
}

// A reboot during a trial ends in the old state, and the next run closes it.
func TestTryAndReboot(t *testing.T) {
	m, never := generate(seeded(3)), generate(seeded(3))
	if _, err := m.tuner().Try(t.Context(), m.order(seeded(8))); err != nil {
		t.Fatal(err)
	}
	m.disk.cut(false)
	m.boot()
	never.boot()
	if m.all() != never.all() {
		t.Errorf("%s\nwould be\n%s", m.all(), never.all())
	}
	undo, err := m.tuner().Recover(t.Context())
	if err != nil || undo == nil || !strings.Contains(undo.Reason, "reboot") {
		t.Errorf("%+v, %v", undo, err)
	}
	if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle {
		t.Errorf("%+v, %v", s, err)
	}
	if m.all() != never.all() {
		t.Errorf("%s\nwould be\n%s", m.all(), never.all())
	}
}

// Whatever write fails, everything before it is taken back.
func TestFailureTakesBack(t *testing.T) {
	for n := range uint64(20) {
		var keys []string
		for _, c := range generate(seeded(n)).order(seeded(n + 1)).Changes {
			if c.Key != allowedCC { // the kernel's own doing
				keys = append(keys, c.Key)
			}
		}
		for _, key := range keys {
			m := generate(seeded(n))
			before := m.all()
			order := m.order(seeded(n + 1))
			m.broken[key] = errBroken
			_, err := m.tuner().Apply(t.Context(), order, yes)
			var reverted *RevertedError
			if !errors.As(err, &reverted) || !errors.Is(err, errBroken) {
				t.Fatalf("host %d, %s: %v", n, key, err)
			}
			if after := m.all(); after != before {
				t.Fatalf("host %d, %s:\n%s\nwas\n%s", n, key, after, before)
			}
			drain(t, m)
		}
	}
}

// Without a timer nothing is made, and the next run begins anew.
func TestNoTimer(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	order := m.order(seeded(8))
	m.broken["timer"] = errBroken
	_, err := m.tuner().Apply(t.Context(), order, yes)
	if !Refused(err) || !errors.Is(err, errBroken) || m.all() != before {
		t.Errorf("%v", err)
	}
	if b, err := m.disk.Read(stateDir + "/journal.jsonl"); err != nil || strings.Contains(string(b), `"wrote"`) {
		t.Errorf("%s, %v", b, err)
	}
	if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle {
		t.Errorf("%s, %v", s.Phase, err)
	}
	delete(m.broken, "timer")
	if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
		t.Error(err)
	}
}

func TestCheckFails(t *testing.T) {
	m := generate(seeded(4))
	before := m.all()
	wrong := errors.New("a new connection uses cubic")
	_, err := m.tuner().Apply(t.Context(), m.order(seeded(8)), func(*Trial) error { return wrong })
	var reverted *RevertedError
	if !errors.As(err, &reverted) || !errors.Is(err, wrong) || m.all() != before {
		t.Errorf("%v", err)
	}
	// The timer was quicker than the person who was asked.
	_, err = m.tuner().Apply(t.Context(), m.order(seeded(8)), func(trial *Trial) error {
		m.now = trial.Deadline
		_, err := m.tuner().Expire(t.Context(), trial.Round)
		return err
	})
	if !errors.As(err, &reverted) || !errors.Is(err, errChangedMeanwhile) || m.all() != before {
		t.Errorf("%v", err)
	}
	drain(t, m)
}

// Nothing is touched where something is not as the plan saw it, or may not be
// changed.
func TestRefusals(t *testing.T) {
	m := generate(seeded(4))
	order := m.order(seeded(8))
	last := order.Changes[len(order.Changes)-1]
	old := *last.Old
	order.Changes[len(order.Changes)-1].Old = new("something else")
	before := m.all()
	var unsure *UnsureError
	if _, err := m.tuner().Apply(t.Context(), order, yes); !errors.As(err, &unsure) || m.all() != before {
		t.Errorf("unknown state: %v", err)
	}
	order.Changes[len(order.Changes)-1].Old = &old
	m.broken["may "+last.Key] = errBroken
	var refused *RefusedError
	if _, err := m.tuner().Apply(t.Context(), order, yes); !errors.As(err, &refused) || m.all() != before {
		t.Errorf("no permission: %v", err)
	}
	delete(m.broken, "may "+last.Key)
	// The timer's process has / as its directory.
	relative := m.tuner()
	relative.Dir = "st"
	if _, err := relative.Try(t.Context(), order); !errors.As(err, &refused) || m.all() != before || len(m.timers) > 0 {
		t.Errorf("a journal that the timer would not find: %v", err)
	}
	if m.disk.names[stateDir] != nil || m.disk.names["st"] != nil {
		t.Error("a refusal left a journal")
	}
}

// Values that somebody changed since are not overwritten unasked.
func TestDrift(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	order := m.order(seeded(8))
	if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
		t.Fatal(err)
	}
	was := m.sysctls[defaultCC]
	m.sysctls[defaultCC] = "vegas"
	drifted := m.all()
	var drift *DriftError
	if _, err := m.tuner().Revert(t.Context(), Way{}); !errors.As(err, &drift) || len(drift.Drifts) != 1 || m.all() != drifted {
		t.Errorf("default was %s: %v", was, err)
	}
	_, items, err := m.tuner().Items()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if want := map[bool]Holding{true: Changed, false: Held}[i.Change.Key == defaultCC]; i.State != want {
			t.Errorf("%s: %s", i.Change.Key, i.State)
		}
	}
	if _, err := m.tuner().Revert(t.Context(), Way{Force: true}); err != nil || m.all() != before {
		t.Errorf("by force: %v\n%s\nwas\n%s", err, m.all(), before)
	}
}

// Changed by somebody, applied again on top, and reverted: nothing is touched, and
// the value from before the first round is not forgotten.
func TestDriftBetweenRounds(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	order := m.order(seeded(8))
	if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
		t.Fatal(err)
	}
	m.sysctls[defaultCC] = "vegas"
	again := Order{Changes: []tune.Change{{Kind: tune.Sysctl, Key: defaultCC, When: tune.Now, Old: new("vegas"), New: new("bbr")}}}
	if _, err := m.tuner().Apply(t.Context(), again, yes); err != nil {
		t.Fatal(err)
	}
	applied := m.all()
	var drift *DriftError
	if _, err := m.tuner().Revert(t.Context(), Way{}); !errors.As(err, &drift) || !strings.Contains(err.Error(), "vegas") || m.all() != applied {
		t.Fatalf("%v", err)
	}
	if !Refused(drift) || !strings.Contains(drift.Hint(), "--except "+defaultCC) {
		t.Errorf("%v", drift.Hint())
	}
	if _, err := m.tuner().Revert(t.Context(), Way{Force: true}); err != nil || m.all() != before {
		t.Errorf("by force: %v\n%s\nwas\n%s", err, m.all(), before)
	}
}

// What a reboot changed between two rounds nobody changed: a revert takes back
// what is left of both. A value that our own file sets at each boot and that is
// another all the same is somebody's.
func TestRebootBetweenRounds(t *testing.T) {
	const cc, rmem = defaultCC, "net.ipv4.tcp_rmem"
	change := func(m *machine, when tune.When, kind tune.Kind, key string, value *string) tune.Change {
		old, err := m.Read(kind, key)
		if err != nil {
			t.Fatal(err)
		}
		return tune.Change{Kind: kind, Key: key, When: when, Old: old, New: value}
	}
	apply := func(m *machine, changes ...tune.Change) {
		t.Helper()
		if _, err := m.tuner().Apply(t.Context(), Order{Changes: changes}, yes); err != nil {
			t.Fatal(err)
		}
	}
	rebooted := func(t *testing.T) *machine {
		m := generate(seeded(3))
		m.disk.put("/etc/sysctl.d", &inode{file: disk.File{Type: fs.ModeDir, Mode: 0o755}})
		delete(m.disk.names, sysctlFile)
		m.boot()
		m.sysctls[cc], m.sysctls[rmem] = "vegas", "4096 131072 8388608" // by hand, until the reboot
		apply(m,
			change(m, tune.Now, tune.Sysctl, cc, new("bbr")),
			change(m, tune.Now, tune.Sysctl, rmem, new("4096 131072 67108864")),
			change(m, tune.Boot, tune.File, sysctlFile, tune.Encode(tune.FileValue{Content: []byte(rmem + " = 4096 131072 67108864\n"), Mode: 0o644})),
		)
		m.disk.cut(false)
		m.boot()
		if m.sysctls[cc] != "cubic" || m.sysctls[rmem] != "4096 131072 67108864" {
			t.Fatalf("the reboot made %q and %q", m.sysctls[cc], m.sysctls[rmem])
		}
		return m
	}
	t.Run("one round", func(t *testing.T) {
		m := rebooted(t)
		undo, err := m.tuner().Revert(t.Context(), Way{})
		if err != nil || m.sysctls[cc] != "cubic" || m.sysctls[rmem] != "4096 131072 8388608" {
			t.Errorf("%q, %q, %v", m.sysctls[cc], m.sysctls[rmem], err)
		}
		if len(undo.Left) != 1 || undo.Left[0].Change.Key != cc || !strings.Contains(undo.Left[0].Why, "reboot") {
			t.Errorf("left %+v", undo.Left)
		}
		if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle {
			t.Errorf("%s, %v", s.Phase, err)
		}
	})
	t.Run("two rounds", func(t *testing.T) {
		m := rebooted(t)
		apply(m, change(m, tune.Now, tune.Sysctl, cc, new("bbr")))
		if _, err := m.tuner().Revert(t.Context(), Way{}); err != nil || m.sysctls[cc] != "cubic" {
			t.Errorf("%q, %v", m.sysctls[cc], err)
		}
		if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle {
			t.Errorf("%s, %v", s.Phase, err)
		}
	})
	t.Run("set by our file and changed", func(t *testing.T) {
		m := rebooted(t)
		m.sysctls[rmem] = "4096 131072 1"
		now := m.all()
		var drift *DriftError
		if _, err := m.tuner().Revert(t.Context(), Way{}); !errors.As(err, &drift) || len(drift.Drifts) != 1 || m.all() != now {
			t.Errorf("%v", err)
		}
	})
}

// What the timer had to leave to somebody goes on standing, with its old value.
func TestTimerLeavesDrift(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	trial, err := m.tuner().Try(t.Context(), m.order(seeded(8)))
	if err != nil {
		t.Fatal(err)
	}
	m.sysctls[defaultCC] = "vegas"
	m.now = trial.Deadline
	if did, err := m.tuner().Expire(t.Context(), trial.Round); !did || err != nil {
		t.Fatal(err)
	}
	_, items, err := m.tuner().Items()
	if err != nil || len(items) != 1 || items[0].Change.Key != defaultCC || m.sysctls[defaultCC] != "vegas" {
		t.Fatalf("%+v, %v", items, err)
	}
	if _, err := m.tuner().Revert(t.Context(), Way{Force: true}); err != nil || m.all() != before {
		t.Errorf("by force: %v\n%s\nwas\n%s", err, m.all(), before)
	}
}

// A module that cannot be unloaded stays loaded, and no revert fails for it.
func TestModuleStays(t *testing.T) {
	m := generate(seeded(3))
	const name = "sch_fq"
	delete(m.modules, name)
	before := m.all()
	order := Order{Changes: []tune.Change{
		{Kind: tune.Module, Key: name, When: tune.Now, New: new("loaded")},
		{Kind: tune.Sysctl, Key: defaultCC, When: tune.Now, Old: new(m.sysctls[defaultCC]), New: new("vegas")},
	}}
	if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
		t.Fatal(err)
	}
	m.broken[name], m.broken["may "+name] = errBroken, errBroken
	undo, err := m.tuner().Revert(t.Context(), Way{})
	if err != nil || len(undo.Left) != 1 || !strings.Contains(undo.Left[0].Why, "could not be unloaded: "+errBroken.Error()) {
		t.Errorf("%+v, %v", undo, err)
	}
	delete(m.modules, name)
	m.sysctls[allowedCC] = strings.TrimSuffix(m.sysctls[allowedCC], " vegas")
	if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle || m.all() != before {
		t.Errorf("%s, %v\n%s\nwas\n%s", s.Phase, err, m.all(), before)
	}
}

// A route beside which somebody made another of its kind is left: to write it would
// replace that one. It stays in the journal, and the rest is reverted.
func TestSharedRouteIsLeft(t *testing.T) {
	m := generate(seeded(3))
	const key = "100.64.0.0/10 dev wg9 table 52 metric 0"
	order := m.order(seeded(8))
	m.routes[key] = *tune.Encode(tune.RouteValue{})
	before := m.all()
	order.Changes = append(order.Changes, tune.Change{Kind: tune.Route, Key: key, When: tune.Now, Old: tune.Encode(tune.RouteValue{}), New: tune.Encode(tune.RouteValue{CC: "bbr"})})
	if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
		t.Fatal(err)
	}
	m.broken[key] = fmt.Errorf("change it: %w", tune.ErrSharedRoute)
	m.broken["may "+key] = m.broken[key]
	undo, err := m.tuner().Revert(t.Context(), Way{})
	if err != nil || len(undo.Left) != 1 || undo.Left[0].Change.Key != key {
		t.Fatalf("%+v, %v", undo.Left, err)
	}
	_, items, err := m.tuner().Items()
	if err != nil || len(items) != 1 || items[0].Change.Key != key {
		t.Errorf("%+v, %v", items, err)
	}
	clear(m.broken)
	if _, err := m.tuner().Revert(t.Context(), Way{}); err != nil || m.all() != before {
		t.Errorf("once it is alone: %v\n%s\nwas\n%s", err, m.all(), before)
	}
}

// An old value that the kernel does not take any more blocks nothing for good.
func TestExcept(t *testing.T) {
	m := generate(seeded(3))
	order := m.order(seeded(8))
	if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
		t.Fatal(err)
	}
	m.broken[defaultCC] = errBroken
	_, err := m.tuner().Revert(t.Context(), Way{})
	if !errors.Is(err, errBroken) || !strings.Contains(hint.Of(err), "--except "+defaultCC) {
		t.Fatalf("%v", err)
	}
	if _, err := m.tuner().Revert(t.Context(), Way{Except: []string{"no.such.key"}}); err == nil {
		t.Error("a key of no change was accepted")
	}
	undo, err := m.tuner().Revert(t.Context(), Way{Except: []string{defaultCC}})
	if err != nil || len(undo.Left) != 1 || undo.Left[0].Change.Key != defaultCC {
		t.Errorf("%+v, %v", undo, err)
	}
	if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle {
		t.Errorf("%+v, %v", s, err)
	}
}

// A value that is the new one already is somebody's: a round that began with the
// same plan would take it back to what was there before both.
func TestSecondRunOfAPlan(t *testing.T) {
	m := generate(seeded(3))
	order := m.order(seeded(8))
	// The other run is quicker: it has the lock between this one's look and its
	// lock.
	late := m.tuner()
	late.Lock = func(ctx context.Context) (func(), error) {
		if _, err := m.tuner().Apply(ctx, order, yes); err != nil {
			t.Fatal(err)
		}
		return m.lock(ctx)
	}
	var unsure *UnsureError
	if _, err := late.Try(t.Context(), order); !errors.As(err, &unsure) {
		t.Errorf("tried what was kept: %v", err)
	}
	kept := m.all()
	if len(m.timers) > 0 {
		t.Error("a timer would take back what was kept")
	}
	if _, err := m.tuner().Try(t.Context(), order); !errors.As(err, &unsure) || m.all() != kept {
		t.Errorf("tried what was kept: %v", err)
	}
}

// Rounds add up, and are taken back together.
func TestRounds(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	for n := range uint64(4) {
		if _, err := m.tuner().Apply(t.Context(), m.order(seeded(8+n)), yes); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.tuner().Revert(t.Context(), Way{}); err != nil || m.all() != before {
		t.Errorf("%v\n%s\nwas\n%s", err, m.all(), before)
	}
}
