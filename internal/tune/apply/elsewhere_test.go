package apply

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"unchoke/internal/hint"
	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
)

// in is the machine's tuner in a network namespace; 1 is the one of init. The
// machine has one set of values: what another namespace's are does not matter
// where none is touched.
func (m *machine) in(netns uint64) *Tuner {
	t := m.tuner()
	t.Netns, t.Apart = netns, netns > 1
	return t
}

// Every command of another namespace's leaves a trial and its journal alone, and
// the timer of its own takes it back.
func TestElsewhere(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	order := m.order(seeded(8))
	trial, err := m.in(7).Try(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	tried := m.all()
	m.now = trial.Deadline.Add(-1)
	for name, do := range map[string]func(*Tuner) error{
		"confirm": func(u *Tuner) error { _, err := u.Confirm(t.Context(), trial.Token); return err },
		"revert":  func(u *Tuner) error { _, err := u.Revert(t.Context(), Way{Force: true}); return err },
		"expire":  func(u *Tuner) error { _, err := u.Expire(t.Context(), trial.Round); return err },
		"status":  func(u *Tuner) error { _, err := u.Status(); return err },
		"verify":  func(u *Tuner) error { _, err := u.Verify(nil); return err },
	} {
		var elsewhere *ElsewhereError
		if err := do(m.in(1)); !errors.As(err, &elsewhere) || !Refused(err) || hint.Of(err) == "" || m.all() != tried {
			t.Errorf("%s: %v", name, err)
		}
	}
	m.now = trial.Deadline
	var elsewhere *ElsewhereError
	if _, err := m.in(1).Recover(t.Context()); !errors.As(err, &elsewhere) || m.all() != tried {
		t.Errorf("recover: %v", err)
	}
	if did, err := m.in(7).Expire(t.Context(), trial.Round); !did || err != nil || m.all() != before {
		t.Errorf("%v, %v\n%s\nwas\n%s", did, err, m.all(), before)
	}
	drain(t, m)
}

// What is kept in one namespace keeps the others from changing anything, until it
// is reverted there or forgotten: the namespace may be no more.
func TestKeptElsewhere(t *testing.T) {
	m := generate(seeded(3))
	before := m.all()
	order := Order{Changes: atNow(m.order(seeded(8)).Changes)}
	if _, err := m.in(7).Apply(t.Context(), order, yes); err != nil {
		t.Fatal(err)
	}
	applied := m.all()
	var elsewhere *ElsewhereError
	if _, err := m.in(1).Try(t.Context(), order); !errors.As(err, &elsewhere) || m.all() != applied {
		t.Errorf("try: %v", err)
	}
	if undo, err := m.in(1).Revert(t.Context(), Way{Except: elsewhere.Keys}); err != nil || slices.ContainsFunc(undo.Took, func(c tune.Change) bool { return c.Kind != tune.Module }) {
		t.Errorf("all forgotten: %+v, %v", undo, err)
	}
	if s, err := m.tuner().State(); err != nil || s.Phase != journal.Idle {
		t.Errorf("%s, %v", s.Phase, err)
	}

	m = generate(seeded(3))
	if _, err := m.in(0).Apply(t.Context(), order, yes); err != nil { // as earlier versions did
		t.Fatal(err)
	}
	if _, err := m.in(1).Revert(t.Context(), Way{}); err != nil || m.all() != before {
		t.Errorf("%v\n%s\nwas\n%s", err, m.all(), before)
	}
}

// A reboot ends the namespaces. What a file set again then is in init's.
func TestElsewhereAfterReboot(t *testing.T) {
	m := generate(seeded(3))
	m.disk.put("/etc/sysctl.d", &inode{file: disk.File{Type: fs.ModeDir, Mode: 0o755}})
	delete(m.disk.names, sysctlFile)
	m.boot()
	old := m.sysctls[defaultCC]
	if _, err := m.in(1).Apply(t.Context(), Order{Changes: []tune.Change{
		{Kind: tune.Sysctl, Key: defaultCC, When: tune.Now, Old: &old, New: new("bbr")},
		{Kind: tune.File, Key: sysctlFile, When: tune.Boot, New: tune.Encode(tune.FileValue{Content: []byte(defaultCC + " = bbr\n"), Mode: 0o644})},
	}}, yes); err != nil {
		t.Fatal(err)
	}
	m.disk.cut(false)
	m.boot()
	var elsewhere *ElsewhereError
	if _, err := m.in(7).Revert(t.Context(), Way{}); !errors.As(err, &elsewhere) || elsewhere.Netns != 0 || m.sysctls[defaultCC] != "bbr" {
		t.Errorf("in another namespace: %v", err)
	}
	if _, err := m.in(2).Revert(t.Context(), Way{}); !errors.As(err, &elsewhere) {
		t.Errorf("%v", err)
	}
	again := m.in(5) // init's has another number since
	again.Apart = false
	if _, err := again.Revert(t.Context(), Way{}); err != nil || m.sysctls[defaultCC] != old {
		t.Errorf("%q, %v", m.sysctls[defaultCC], err)
	}
}
