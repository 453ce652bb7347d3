package live

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/ledger"
	"unchoke/internal/tune/outcome"
)

// event is a line.
type event struct {
	Kind  string     `json:"event"`
	Time  time.Time  `json:"time"`
	Where place      `json:"where,omitzero"`   // load, begin
	CC    string     `json:"cc,omitempty"`     // begin: the new one
	Mod   string     `json:"module,omitempty"` // load, unloaded; begin: that was loaded for it
	Flows []entry    `json:"flows,omitempty"`  // begin
	IDs   []string   `json:"ids,omitempty"`    // end, undone
	Unit  *unitEntry `json:"unit,omitempty"`   // scope, unscoped
}

// place is where a cookie means something: until the next boot, in one network
// namespace.
type place struct {
	Boot  string `json:"boot_id"`
	Netns uint64 `json:"netns"` // its inode
}

type entry struct {
	ID      string `json:"id"`
	Local   string `json:"local"`
	Remote  string `json:"remote"`
	Process string `json:"process,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Old     string `json:"old_cc"`
}

// Journal is a file beside the journal of what is changed for the whole host,
// opened by whoever holds the lock of their directory. It has the same form: a
// line of JSON an event, there to stay before the effect that it announces.
//
//	load      a module is about to be loaded
//	unloaded  it is gone, or is left to whoever uses it
//	begin     which connections are about to get another algorithm, and what they
//	          have now
//	end       which of them were left as they were
//	undone    which have their old algorithm again, or have ended
//	scope     a unit whose later connections are about to get another algorithm, and
//	          the program that is about to be attached to its control group
//	unscoped  that was taken back, or the unit has been stopped
type Journal struct {
	file  *ledger.Ledger
	here  place
	state state
}

// state is what stands.
type state struct {
	flows   []standing
	units   []standingUnit
	modules []string // that what stands needs
	loads   []load   // that were loaded, whatever stands
}

type load struct{ module, boot string }

type standing struct {
	entry
	where place
	cc    string // the new one
	was   string // the new one of the change before, until another one has ended
}

// algorithm is a congestion control's name as the kernel takes it
// (TCP_CA_NAME_MAX).
var algorithm = regexp.MustCompile(`^[a-z0-9_-]{1,15}$`)

// Open reads the file in a directory. The caller holds its lock.
func Open(d disk.Disk, dir, boot string, netns uint64) (*Journal, error) {
	if err := journal.Trusted(d, dir, journal.Live); err != nil {
		return nil, err
	}
	j := &Journal{here: place{boot, netns}}
	var err error
	if j.file, err = ledger.Open(d, filepath.Join(dir, journal.Live), j.state.take); err != nil {
		return nil, err
	}
	j.renew()
	return j, nil
}

// parse adds events up. A last line that a crash cut short is not one.
func parse(b []byte) (s state, size int, err error) {
	size, err = ledger.Lines(b, s.take)
	return s, size, err
}

// take is the state after an event.
func (s *state) take(e event) (err error) {
	*s, err = s.after(e)
	return err
}

func (s state) after(e event) (state, error) {
	switch e.Kind {
	case "load":
		s.loads = append(slices.Clone(s.loads), load{e.Mod, e.Where.Boot})
	case "unloaded":
		s.loads = slices.DeleteFunc(slices.Clone(s.loads), func(l load) bool { return l.module == e.Mod })
	case "begin":
		if !algorithm.MatchString(e.CC) {
			return s, fmt.Errorf("%q is no congestion control", e.CC)
		}
		if e.Mod != "" {
			s.modules = append(slices.Clone(s.modules), e.Mod)
		}
		s.flows = slices.Clone(s.flows)
		for _, f := range e.Flows {
			if !algorithm.MatchString(f.Old) {
				return s, fmt.Errorf("%q is no congestion control", f.Old)
			}
			// A connection that is changed again keeps what it had at first.
			i := slices.IndexFunc(s.flows, func(o standing) bool { return o.ID == f.ID && o.where == e.Where })
			if i < 0 {
				s.flows = append(s.flows, standing{entry: f, where: e.Where, cc: e.CC})
				continue
			}
			o := &s.flows[i]
			if o.was != f.Old { // else the change before this one was killed before it was made
				o.was = o.cc
			}
			o.cc = e.CC
		}
	case "end":
		var flows []standing
		for _, o := range s.flows {
			if left := slices.Contains(e.IDs, o.ID); left && o.was == "" {
				continue
			} else if left {
				o.cc = o.was
			}
			o.was = ""
			flows = append(flows, o)
		}
		s.flows = flows
		s.unneeded()
	case "undone":
		s.flows = slices.DeleteFunc(slices.Clone(s.flows), func(o standing) bool { return slices.Contains(e.IDs, o.ID) })
		s.unneeded()
	case "scope":
		if !algorithm.MatchString(e.CC) || e.Unit == nil {
			return s, fmt.Errorf("%q for a unit's connections", e.CC)
		}
		if e.Mod != "" {
			s.modules = append(slices.Clone(s.modules), e.Mod)
		}
		s.units = append(slices.Clone(s.units), standingUnit{unitEntry: *e.Unit, where: e.Where, cc: e.CC})
	case "unscoped":
		if e.Unit == nil {
			return s, errors.New("no unit")
		}
		s.units = slices.DeleteFunc(slices.Clone(s.units), func(o standingUnit) bool { return o.unitEntry == *e.Unit && o.where.Boot == e.Where.Boot })
		s.unneeded()
	default:
		return s, fmt.Errorf("event %q is unknown to this version", e.Kind)
	}
	return s, nil
}

// renew begins the file anew where nothing of this boot stands in it.
func (j *Journal) renew() {
	if own, elsewhere := j.Standing(); len(own) == 0 && elsewhere == 0 && len(j.units()) == 0 && len(j.Loads()) == 0 {
		j.state = state{} // what is of earlier boots has ended
		j.file.Clear()
	}
}

// unneeded forgets the modules where nothing stands that they were loaded for.
func (s *state) unneeded() {
	if len(s.flows) == 0 && len(s.units) == 0 {
		s.modules = nil
	}
}

// Standing are the connections of this boot and network namespace that were given
// another algorithm, and how many there are in other namespaces.
func (j *Journal) Standing() (flows []*outcome.LiveFlow, elsewhere int) {
	for _, o := range j.state.flows {
		switch {
		case o.where == j.here:
			flows = append(flows, &outcome.LiveFlow{ID: o.ID, Local: o.Local, Remote: o.Remote, Process: o.Process, PID: o.PID, Old: o.Old, New: o.cc})
		case o.where.Boot == j.here.Boot:
			elsewhere++
		}
	}
	return flows, elsewhere
}

// given are the algorithms that a connection may have been given here: two where the
// last change was killed before its end.
func (j *Journal) given(f *outcome.LiveFlow) []string {
	given := []string{f.New}
	for _, o := range j.state.flows {
		if o.ID == f.ID && o.where == j.here && o.was != "" {
			given = append(given, o.was)
		}
	}
	return given
}

// Modules are those that were loaded for connections that stand.
func (j *Journal) Modules() []string {
	return slices.Compact(slices.Sorted(slices.Values(j.state.modules)))
}

// Loads are the modules that were loaded in this boot, or were about to be, and are
// not known to be unloaded.
func (j *Journal) Loads() (modules []string) {
	for _, l := range j.state.loads {
		if l.boot == j.here.Boot && !slices.Contains(modules, l.module) {
			modules = append(modules, l.module)
		}
	}
	return modules
}

// Load announces that a module is loaded.
func (j *Journal) Load(module string, now time.Time) error {
	return j.write(event{Kind: "load", Time: now, Where: j.here, Mod: module})
}

// Unloaded tells that a module is gone, or is left to whoever uses it.
func (j *Journal) Unloaded(module string, now time.Time) error {
	return j.write(event{Kind: "unloaded", Time: now, Mod: module})
}

// Begin announces that connections get another algorithm.
func (j *Journal) Begin(flows []*outcome.LiveFlow, cc, module string, now time.Time) error {
	e := event{Kind: "begin", Time: now, Where: j.here, CC: cc, Mod: module}
	for _, f := range flows {
		e.Flows = append(e.Flows, entry{f.ID, f.Local, f.Remote, f.Process, f.PID, f.Old})
	}
	return j.write(e)
}

// End tells which connections were left as they were, of those that the Begin
// before it named: others stand as they did.
func (j *Journal) End(flows []*outcome.LiveFlow, now time.Time) error {
	e := event{Kind: "end", Time: now}
	for _, f := range flows {
		if f.State != outcome.LiveChanged {
			e.IDs = append(e.IDs, f.ID)
		}
	}
	return j.write(e)
}

// Undone tells which connections have their old algorithm, or have ended, or are
// somebody else's now.
func (j *Journal) Undone(flows []*outcome.LiveFlow, now time.Time) error {
	e := event{Kind: "undone", Time: now}
	for _, f := range flows {
		switch f.State {
		case outcome.LiveReverted, outcome.LiveEnded, outcome.LiveOther:
			e.IDs = append(e.IDs, f.ID)
		}
	}
	return j.write(e)
}

func (j *Journal) write(e event) error {
	next, err := j.state.after(e)
	if err != nil {
		return fmt.Errorf("note the change of live connections: %w", err)
	}
	if err := j.file.Write(e); err != nil {
		return err
	}
	j.state = next
	return nil
}
