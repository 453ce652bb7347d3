package live

import (
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/outcome"
)

// fakeGroups is a host with one unit.
type fakeGroups struct {
	number  uint64 // of the unit's group; 0 where it does not run
	loaded  uint32
	at      map[uint32]string // programs at the group
	refuse  error             // to attach
	blind   error             // after that: to look
	journal *Journal
	early   bool // a program was attached before the journal knew
}

func (g *fakeGroups) Find(unit string) (Group, error) {
	if g.number == 0 {
		return Group{}, &UnableError{What: "no unit " + unit}
	}
	return Group{"/system.slice/" + unit, g.number}, nil
}

func (g *fakeGroups) Load(cc string) (Program, error) {
	g.loaded++
	return &fakeProgram{g, cc, g.loaded}, nil
}

func (g *fakeGroups) At(x Group, program uint32) (bool, error) {
	if g.blind != nil {
		return false, g.blind
	}
	if x.Number != g.number {
		return false, ErrGroupEnded
	}
	return g.at[program] != "", nil
}

func (g *fakeGroups) Detach(x Group, program uint32) error {
	if x.Number != g.number {
		return ErrGroupEnded
	}
	delete(g.at, program)
	return nil
}

type fakeProgram struct {
	g      *fakeGroups
	cc     string
	number uint32
}

func (p *fakeProgram) Number() uint32 { return p.number }
func (p *fakeProgram) Close() error   { return nil }

func (p *fakeProgram) Attach(Group) error {
	if len(p.g.journal.units()) == 0 {
		p.g.early = true
	}
	if p.g.refuse != nil {
		return p.g.refuse
	}
	p.g.at[p.number] = p.cc
	return nil
}

// opened is a scope whose journal is read anew, as another run would.
func (g *fakeGroups) opened(t *testing.T, dir, boot string) *Scope {
	t.Helper()
	j, err := Open(disk.OS{}, dir, boot, 7)
	if err != nil {
		t.Fatal(err)
	}
	g.journal = j
	return &Scope{Groups: g, Journal: j, Now: func() time.Time { return time.Unix(1e9, 0) }}
}

func privateDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestScope(t *testing.T) {
	dir, g := privateDir(t), &fakeGroups{number: 40, at: map[uint32]string{}}
	u, err := g.opened(t, dir, "boot").Change("web", "bbr", "tcp_bbr")
	if err != nil || u.State != outcome.LiveChanged || u.Group != "/system.slice/web" || g.early || len(g.at) != 1 {
		t.Fatalf("%+v, %v; attached %v, before the journal %v", u, err, g.at, g.early)
	}
	if u, err = g.opened(t, dir, "boot").Change("web", "bbr", ""); err != nil || u.State != outcome.LiveSame || len(g.at) != 1 {
		t.Errorf("again: %+v, %v", u, err)
	}
	if _, err = g.opened(t, dir, "boot").Change("web", "reno", ""); err == nil || len(g.at) != 1 {
		t.Errorf("another algorithm beside the first: %v", err)
	}
	s := g.opened(t, dir, "boot")
	if items, err := s.Stands(); err != nil || len(items) != 1 || items[0].State != outcome.Held || items[0].New != "bbr" {
		t.Errorf("%+v, %v", items, err)
	}
	if m := s.Journal.Modules(); !reflect.DeepEqual(m, []string{"tcp_bbr"}) {
		t.Errorf("modules %v", m)
	}
	got, err := s.Revert()
	if err != nil || len(got) != 1 || got[0].State != outcome.LiveReverted || len(g.at) != 0 {
		t.Errorf("%+v, %v, attached %v", got, err, g.at)
	}
	if got, err = g.opened(t, dir, "boot").Revert(); err != nil || len(got) != 0 || g.journal.Modules() != nil {
		t.Errorf("twice: %+v, %v", got, err)
	}
}

// A unit that was stopped took the program with it, and one that was started
// again is another.
func TestScopeOfStoppedUnit(t *testing.T) {
	dir, g := privateDir(t), &fakeGroups{number: 40, at: map[uint32]string{}}
	if _, err := g.opened(t, dir, "boot").Change("web", "bbr", ""); err != nil {
		t.Fatal(err)
	}
	g.number, g.at = 41, map[uint32]string{}
	if items, err := g.opened(t, dir, "boot").Stands(); err != nil || len(items) != 1 || items[0].State != outcome.Gone {
		t.Errorf("%+v, %v", items, err)
	}
	if u, err := g.opened(t, dir, "boot").Change("web", "reno", ""); err != nil || u.State != outcome.LiveChanged {
		t.Errorf("%+v, %v", u, err)
	}
	got, err := g.opened(t, dir, "boot").Revert()
	if err != nil || len(got) != 2 || got[0].State != outcome.LiveEnded || got[1].State != outcome.LiveReverted || len(g.at) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if items, err := g.opened(t, dir, "after a reboot").Stands(); err != nil || len(items) != 0 {
		t.Errorf("%+v, %v", items, err)
	}
}

// What was killed before it attached, and what the kernel refused, leave nothing.
func TestScopeThatFailed(t *testing.T) {
	dir, g := privateDir(t), &fakeGroups{number: 40, at: map[uint32]string{}, refuse: os.ErrPermission}
	if _, err := g.opened(t, dir, "boot").Change("web", "bbr", ""); !errors.Is(err, os.ErrPermission) || len(g.journal.units()) != 0 {
		t.Errorf("%v, %v", err, g.journal.units())
	}
	s := g.opened(t, dir, "boot")
	if err := s.Journal.write(event{Kind: "scope", Where: s.Journal.here, CC: "bbr", Unit: &unitEntry{Unit: "web", Path: "/web", Number: 40, Program: 9}}); err != nil {
		t.Fatal(err)
	}
	s = g.opened(t, dir, "boot")
	if items, err := s.Stands(); err != nil || len(items) != 1 || items[0].State != outcome.Back {
		t.Errorf("%+v, %v", items, err)
	}
	if got, err := s.Revert(); err != nil || len(got) != 1 || got[0].State != outcome.LiveReverted {
		t.Errorf("%+v, %v", got, err)
	}
	g.number = 0
	if _, err := g.opened(t, dir, "boot").Change("web", "bbr", ""); err == nil {
		t.Error("a unit that does not run")
	}
}

// A program that was attached, and that nobody could look for, is one that a revert takes back.
func TestScopeThatCouldNotLook(t *testing.T) {
	dir, g := privateDir(t), &fakeGroups{number: 40, at: map[uint32]string{}, blind: os.ErrPermission}
	if _, err := g.opened(t, dir, "boot").Change("web", "bbr", ""); !errors.Is(err, os.ErrPermission) || len(g.at) != 1 {
		t.Fatalf("%v, attached: %v", err, g.at)
	}
	g.blind = nil
	if out, err := g.opened(t, dir, "boot").Revert(); err != nil || len(out) != 1 || out[0].State != outcome.LiveReverted || len(g.at) != 0 {
		t.Errorf("%+v, %v, attached: %v", out, err, g.at)
	}
}
