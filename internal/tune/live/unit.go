package live

import (
	"errors"
	"fmt"
	"time"

	"unchoke/internal/tune/outcome"
)

// Group is the control group of a unit that runs. Its number is of this boot: a
// unit that is started again has another.
type Group struct {
	Path   string // below the root of version 2
	Number uint64
}

// Groups is what changes the connections that a unit's programs will open.
type Groups interface {
	// Find looks for the group of a unit.
	Find(unit string) (Group, error)
	// Load gives the kernel a program that sets a congestion control, which
	// nothing runs yet.
	Load(cc string) (Program, error)
	// At says whether a program is at a group. ErrGroupEnded where the group is
	// no more.
	At(g Group, program uint32) (bool, error)
	Detach(g Group, program uint32) error
}

// Program is one of Load's. Closed it stays where it was attached.
type Program interface {
	Number() uint32
	Attach(Group) error
	Close() error
}

// ErrGroupEnded says that a unit was stopped since: what was at its control group
// has gone with it.
var ErrGroupEnded = errors.New("the unit was stopped since")

// Scope is a unit whose later connections get another congestion control.
type Scope struct {
	Groups  Groups
	Journal *Journal
	Now     func() time.Time
}

// Change gives the unit's later connections a congestion control. The journal has
// the program before it is attached: a run that is killed leaves nothing that
// Revert does not find. module is what was loaded for it.
func (s *Scope) Change(unit, cc, module string) (outcome.LiveUnit, error) {
	u := outcome.LiveUnit{Unit: unit, New: cc}
	g, err := s.Groups.Find(unit)
	if err != nil {
		return u, err
	}
	u.Group = g.Path
	for _, o := range s.Journal.state.units {
		if o.where.Boot != s.Journal.here.Boot || o.Number != g.Number {
			continue
		}
		is, err := s.Groups.At(g, o.Program)
		switch {
		case err != nil:
			return u, err
		case is && o.cc == cc:
			u.State = outcome.LiveSame
			return u, nil
		case is:
			return u, &UnableError{fmt.Sprintf("later connections of %s get %s already", unit, o.cc), "unchoke tune live --revert first"}
		}
	}
	p, err := s.Groups.Load(cc)
	if err != nil {
		return u, err
	}
	defer p.Close()
	n := standingUnit{unitEntry: unitEntry{Unit: unit, Path: g.Path, Number: g.Number, Program: p.Number()}}
	if err := s.Journal.write(event{Kind: "scope", Time: s.Now(), Where: s.Journal.here, CC: cc, Mod: module, Unit: &n.unitEntry}); err != nil {
		return u, err
	}
	if err := p.Attach(g); err != nil {
		return u, errors.Join(err, s.undone(n))
	}
	switch is, err := s.Groups.At(g, n.Program); {
	case err != nil:
		return u, err // it may be there: a revert takes it back
	case !is:
		return u, errors.Join(errors.New("the kernel took the program and does not have it"), s.undone(n))
	}
	u.State = outcome.LiveChanged
	return u, nil
}

// Revert takes back what stands of this boot. Connections that were opened
// meanwhile keep what they were given until they close.
func (s *Scope) Revert() (out []outcome.LiveUnit, err error) {
	for _, o := range s.Journal.units() {
		u := outcome.LiveUnit{Unit: o.Unit, Group: o.Path, New: o.cc, State: outcome.LiveReverted}
		failed := s.Groups.Detach(Group{o.Path, o.Number}, o.Program)
		switch {
		case errors.Is(failed, ErrGroupEnded):
			u.State, u.Why, failed = outcome.LiveEnded, failed.Error(), nil
		case failed != nil:
			u.State, u.Why = became(failed)
		}
		if failed == nil {
			err = errors.Join(err, s.undone(o))
		}
		out = append(out, u)
	}
	return out, err
}

// Stands is what has become of each, of this boot.
func (s *Scope) Stands() (out []outcome.LiveUnitItem, err error) {
	for _, o := range s.Journal.units() {
		i := outcome.LiveUnitItem{Unit: o.Unit, Group: o.Path, New: o.cc, State: outcome.Held}
		is, failed := s.Groups.At(Group{o.Path, o.Number}, o.Program)
		switch {
		case errors.Is(failed, ErrGroupEnded):
			i.State = outcome.Gone
		case failed != nil:
			err = errors.Join(err, failed)
			continue
		case !is:
			i.State = outcome.Back
		}
		out = append(out, i)
	}
	return out, err
}

func (s *Scope) undone(o standingUnit) error {
	return s.Journal.write(event{Kind: "unscoped", Time: s.Now(), Where: s.Journal.here, Unit: &o.unitEntry})
}

// unitEntry is a unit of an event.
type unitEntry struct {
	Unit    string `json:"unit"`
	Path    string `json:"cgroup"`
	Number  uint64 `json:"cgroup_id"`
	Program uint32 `json:"program_id"`
}

// standingUnit is one whose later connections are changed.
type standingUnit struct {
	unitEntry
	where place
	cc    string
}

// units are those of this boot, in whatever network namespace: a control group is
// of the host.
func (j *Journal) units() (out []standingUnit) {
	for _, o := range j.state.units {
		if o.where.Boot == j.here.Boot {
			out = append(out, o)
		}
	}
	return out
}
