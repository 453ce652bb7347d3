package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/host"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/tree"
	"unchoke/internal/tune/tree/treetest"
)

// machine is a host that can be stopped before any of its effects, as by
// kill -9, and cut off from its power, as no test can do to a real one.
type machine struct {
	effects int // so far
	stopAt  int // the effect that does not happen any more; 0: none
	tear    bool

	boots    int
	defaults map[string]string // sysctls that the kernel comes up with
	sysctls  map[string]string
	modules  map[string]int // users
	devices  map[string]*treetest.Device
	routes   map[string]string
	disk     *memory
	broken   map[string]error // writes that fail, by key
	appends  int              // lines of the journal so far
	fullAt   int              // the line from which on the disk is full; 0: none

	now    time.Time
	timers map[string]time.Time
	locked bool
}

// stopped is what a run ends with that is killed.
type stopped struct{}

// effect is called before each.
func (m *machine) effect() {
	m.effects++
	if m.effects == m.stopAt {
		panic(stopped{})
	}
}

// killed runs f until its end or until the machine stops it.
func (m *machine) killed(at int, f func()) (wasKilled bool) {
	m.effects, m.stopAt = 0, at
	defer func() {
		m.stopAt, m.locked = 0, false
		if r := recover(); r != nil {
			if _, ok := r.(stopped); !ok {
				panic(r)
			}
			wasKilled = true
		}
	}()
	f()
	return false
}

// Names of the files that a boot reads, and of what it sets.
const (
	sysctlFile = "/etc/sysctl.d/99-zz-unchoke.conf"
	moduleFile = "/etc/modules-load.d/unchoke.conf"
	defaultCC  = defaultCongestionControl
)

// boot is a start of the kernel from what the disk then has.
func (m *machine) boot() {
	m.boots++
	m.timers = map[string]time.Time{}
	m.sysctls = maps.Clone(m.defaults)
	m.modules = map[string]int{}
	for _, name := range m.lines(moduleFile) {
		m.modules[name] = 0
	}
	for _, line := range m.lines(sysctlFile) {
		key, value, _ := strings.Cut(line, "=")
		_ = m.set(strings.TrimSpace(key), strings.TrimSpace(value)) // a boot goes on after an error
	}
	for _, dev := range m.devices {
		dev.Up(m.sysctls[defaultQdisc])
	}
	for key, value := range m.routes {
		v, _ := tune.Decode[tune.RouteValue](&value)
		v.CC = ""
		m.routes[key] = *tune.Encode(*v)
	}
}

func (m *machine) lines(name string) []string {
	b, err := m.disk.Read(name)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
}

// set is a write to /proc/sys: the kernel loads an algorithm's module and
// lists a new default among the allowed.
func (m *machine) set(key, value string) error {
	if _, ok := m.sysctls[key]; !ok {
		return fs.ErrNotExist
	}
	m.sysctls[key] = value
	if key == defaultCC {
		if value == "bbr" {
			m.modules["tcp_bbr"] += 0
		}
		allowed := strings.Fields(m.sysctls[allowedCC])
		if !slices.Contains(allowed, value) {
			m.sysctls[allowedCC] = strings.Join(append(allowed, value), " ")
		}
	}
	return nil
}

func (m *machine) Read(kind tune.Kind, key string) (*string, error) {
	if kind == tune.File {
		return host.Host{Disk: m.disk}.Read(kind, key)
	}
	if kind == tune.Module {
		if _, ok := m.modules[key]; ok {
			return new("loaded"), nil
		}
		return nil, nil
	}
	if kind == tune.Qdisc {
		if dev, ok := m.devices[key]; ok {
			return tune.Encode(dev.Tree), nil
		}
		return nil, nil
	}
	value, ok := map[tune.Kind]map[string]string{tune.Sysctl: m.sysctls, tune.Route: m.routes}[kind][key]
	if !ok {
		return nil, nil
	}
	return &value, nil
}

func (m *machine) Write(kind tune.Kind, key string, value *string) error {
	if err := m.broken[key]; err != nil {
		return err
	}
	if kind == tune.File {
		return host.Host{Disk: m.disk}.Write(kind, key, value)
	}
	m.effect()
	switch kind {
	case tune.Sysctl:
		return m.set(key, *value)
	case tune.Module:
		if value != nil {
			m.modules[key] += 0
		} else if m.modules[key] == 0 {
			delete(m.modules, key)
		}
	case tune.Route:
		v, err := tune.Decode[tune.RouteValue](value)
		have, _ := tune.Decode[tune.RouteValue](new(m.routes[key]))
		if err != nil {
			return err
		}
		have.CC = v.CC
		m.routes[key] = *tune.Encode(*have)
	}
	return nil
}

func (m *machine) Writable(_ tune.Kind, key string) error { return m.broken["may "+key] }

func (m *machine) Send(device string, msg tree.Message) error {
	if err := m.broken[device]; err != nil {
		return err
	}
	m.effect()
	return m.devices[device].Send(msg, m.sysctls[defaultQdisc])
}

func (m *machine) Arm(_ context.Context, round string, after time.Duration) (journal.Timer, error) {
	if err := m.broken["timer"]; err != nil {
		return journal.Timer{}, err
	}
	m.effect()
	m.timers[round] = m.now.Add(after)
	return journal.Timer{Unit: round}, nil
}

func (m *machine) Disarm(t journal.Timer) error {
	m.effect()
	delete(m.timers, t.Unit)
	return nil
}

func (m *machine) lock(context.Context) (func(), error) {
	if m.locked {
		return nil, journal.ErrBusy
	}
	m.locked = true
	return func() { m.locked = false }, nil
}

const stateDir = "/var/lib/unchoke/tune"

func (m *machine) tuner() *Tuner {
	seed := byte(0)
	return &Tuner{
		Host: m, Disk: m.disk, Dir: stateDir, Boot: fmt.Sprint(m.boots), Version: "test",
		Timer: m, Now: func() time.Time { return m.now }, Lock: m.lock,
		Random: func(b []byte) {
			for i := range b {
				seed++
				b[i] = seed + byte(m.effects)
			}
		},
	}
}

// all is everything of the host that a change could touch, as text.
func (m *machine) all() string {
	var s strings.Builder
	for name, values := range map[string]map[string]string{"1": m.sysctls, "3": m.routes} {
		for key, value := range values {
			fmt.Fprintf(&s, "%s %s = %s\n", name, key, value)
		}
	}
	for name, dev := range m.devices {
		fmt.Fprintf(&s, "2 %s = %s\n", name, *tune.Encode(dev.Tree))
	}
	for name := range m.modules {
		fmt.Fprintf(&s, "module %s\n", name)
	}
	for name, n := range m.disk.names {
		if !strings.HasPrefix(name, "/var") {
			fmt.Fprintf(&s, "file %s %+v %q\n", name, n.file, n.content)
		}
	}
	lines := strings.Split(s.String(), "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// memory is a disk that forgets what was not synced when its power is cut.
type memory struct {
	names map[string]*inode
	kept  map[string]*inode // the names that are there after a power cut
	m     *machine
}

type inode struct {
	file    disk.File
	content []byte
	kept    []byte
}

func (d *memory) put(name string, n *inode) {
	d.names[name], d.kept[name] = n, n
	n.kept = n.content
}

// cut is a loss of power. names says that the names are on the disk already,
// though not what is in the files.
func (d *memory) cut(names bool) {
	if !names {
		d.names = maps.Clone(d.kept)
	}
	for _, n := range d.names {
		n.content = n.kept
	}
	d.kept = maps.Clone(d.names)
}

func (d *memory) Look(name string) (disk.File, error) {
	n, ok := d.names[name]
	if !ok {
		return disk.File{}, fs.ErrNotExist
	}
	return n.file, nil
}

func (d *memory) Read(name string) ([]byte, error) {
	n, ok := d.names[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return slices.Clone(n.content), nil
}

func (d *memory) List(dir string) ([]string, error) {
	var names []string
	for name := range d.names {
		if filepath.Dir(name) == dir {
			names = append(names, filepath.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d *memory) make(name string, n *inode) error {
	d.m.effect()
	if _, ok := d.names[name]; ok {
		return fs.ErrExist
	}
	if _, ok := d.names[filepath.Dir(name)]; !ok {
		return fs.ErrNotExist
	}
	d.names[name] = n
	return nil
}

func (d *memory) Create(name string, f disk.File, content []byte, _ string) error {
	return d.make(name, &inode{file: f, content: slices.Clone(content)})
}

func (d *memory) Link(name string, f disk.File) error  { return d.make(name, &inode{file: f}) }
func (d *memory) Mkdir(name string, f disk.File) error { return d.make(name, &inode{file: f}) }

func (d *memory) Append(name string, content []byte) error {
	if d.m.appends++; d.m.fullAt > 0 && d.m.appends >= d.m.fullAt {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	}
	if _, ok := d.names[name]; !ok {
		if err := d.make(name, &inode{file: disk.File{Mode: 0o600}}); err != nil {
			return err
		}
	}
	n := d.names[name]
	if d.m.tear && d.m.effects+1 == d.m.stopAt {
		n.content = append(slices.Clone(n.content), content[:len(content)/2]...)
	}
	d.m.effect()
	n.content = append(slices.Clone(n.content), content...)
	return nil
}

func (d *memory) Truncate(name string, size int64) error {
	d.m.effect()
	d.names[name].content = d.names[name].content[:size]
	return nil
}

func (d *memory) Sync(name string) error {
	d.m.effect()
	n, ok := d.names[name]
	if !ok {
		return fs.ErrNotExist
	}
	if n.file.Type != fs.ModeDir {
		n.kept = n.content
		return nil
	}
	maps.DeleteFunc(d.kept, func(kept string, _ *inode) bool { return filepath.Dir(kept) == name && d.names[kept] == nil })
	for child, n := range d.names {
		if filepath.Dir(child) == name {
			d.kept[child] = n
		}
	}
	return nil
}

func (d *memory) Rename(from, to string) error {
	d.m.effect()
	n, ok := d.names[from]
	if !ok {
		return fs.ErrNotExist
	}
	d.names[to] = n
	delete(d.names, from)
	return nil
}

func (d *memory) Remove(name string) error {
	if _, ok := d.names[name]; !ok {
		return fs.ErrNotExist
	}
	d.m.effect()
	for child := range d.names {
		if filepath.Dir(child) == name && child != name {
			return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
		}
	}
	delete(d.names, name)
	return nil
}

var errBroken = errors.New("the kernel refuses")
