package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/linux/sysctlkey"
	"unchoke/internal/tune"
	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/host"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/tree/treetest"
	"unchoke/internal/unit"
)

// Generated hosts: what a plan predicts for after its changes, and for after a
// reboot, is what the kernel and the real readers then have; and taking it back
// leaves every byte as it was. A thousand of them are in a network namespace
// on this kernel.
func TestPlanIsWhatHappens(t *testing.T) {
	if os.Getenv(stage) == inNamespace {
		states := 1000
		if testing.Short() {
			states = 30
		}
		happens(t, newWorld(t), states)
		return
	}
	runInNamespace(t)
}

// The same in the lab, whose kernel has fq, where there are devices, the first
// namespace's keys and the allowed list. A program takes ten times as long to
// start there, so these are fewer.
func TestPlanIsWhatHappensInLab(t *testing.T) {
	if os.Getenv(stage) == inMachine {
		w := newWorld(t)
		w.addDevices(t)
		happens(t, w, 100)
		return
	}
	runInLab(t)
}

func happens(t *testing.T, w *world, states int) {
	var changed, conflicts int
	for seed := range states {
		time.Sleep(time.Millisecond) // so that virtual time goes on in the lab
		p := w.once(t, uint64(seed))
		if t.Failed() {
			t.Fatalf("state %d", seed)
		}
		if len(p.Changes) > 0 {
			changed++
		}
		if len(p.Conflicts) > 0 {
			conflicts++
		}
	}
	t.Logf("%d states: %d plans with changes, %d with conflicts", states, changed, conflicts)
	if changed < states/2 || conflicts < states/25 {
		t.Errorf("the states are too tame: %d plans with changes, %d with conflicts", changed, conflicts)
	}
}

// world is a kernel with a root directory that stands for its host's.
type world struct {
	root    string
	fresh   map[string]string // values of a fresh boot
	ccs     []string
	host    host.Host
	disk    disk.Disk
	devices []string
}

func newWorld(t *testing.T) *world {
	w := &world{root: chrootDir(t), ccs: choosable(t)}
	w.fresh = present(t)
	for key, value := range map[string]string{
		"net.core.default_qdisc": "pfifo_fast", "net.core.netdev_max_backlog": "1000", allowedKey: "reno cubic",
	} {
		if _, ok := w.fresh[key]; ok { // else they are of the first namespace only
			w.fresh[key] = value
		}
	}
	if slices.Contains(w.ccs, "cubic") {
		w.fresh["net.ipv4.tcp_congestion_control"] = "cubic"
	}
	if !slices.Contains(w.ccs, "bbr") {
		t.Skip("needs bbr among the algorithms that a network namespace may use")
	}
	// An index of what is built in spares reading the kernel's symbols.
	modules := filepath.Join(w.root, "usr/lib/modules/6.12.0")
	err := errors.Join(
		os.MkdirAll(modules, 0o755),
		os.WriteFile(filepath.Join(modules, "modules.dep"), nil, 0o644),
		os.WriteFile(filepath.Join(modules, "modules.builtin"), []byte("kernel/net/ipv4/tcp_bbr.ko\nkernel/net/sched/sch_fq.ko\n"), 0o644),
	)
	if err != nil {
		t.Fatal(err)
	}
	w.disk = rooted{disk.OS{}, w.root}
	w.host = host.Host{Disk: w.disk}
	return w
}

// addDevices makes one with one queue, one with several and one without.
func (w *world) addDevices(t *testing.T) {
	t.Helper()
	for _, d := range [][]string{{"one0", "numtxqueues", "1", "type", "ifb"}, {"many0", "numtxqueues", "4", "type", "ifb"}, {"dum0", "type", "dummy"}} {
		if out, err := exec.Command("ip", append([]string{"link", "add"}, d...)...).CombinedOutput(); err != nil {
			t.Fatalf("add %v: %v\n%s", d, err, out)
		}
		if out, err := exec.Command("ip", "link", "set", d[0], "up").CombinedOutput(); err != nil {
			t.Fatalf("raise %s: %v\n%s", d[0], err, out)
		}
		w.devices = append(w.devices, d[0])
	}
}

// once plans for one generated host, applies, reboots and reverts.
func (w *world) once(t *testing.T, seed uint64) tune.Plan {
	r := rand.New(rand.NewPCG(seed, 7))
	s := generate(r, w.ccs)
	restore(t, w.fresh)
	s.write(t, w.root)
	w.attach(t, r)
	// What somebody set by hand since the boot.
	for _, key := range generatedKeys {
		if _, ok := w.fresh[key]; ok && r.IntN(4) == 0 {
			set(t, key, s.values[key])
		}
	}
	f := w.facts(t, r)
	m := measuredPath(r, w.devices)
	o := tune.Options{Resolve: r.IntN(3) == 0, Remedy: []tune.Remedy{tune.Auto, tune.Auto, tune.UseBBR, tune.UseMaxRate}[r.IntN(4)]}
	p, err := tune.Make(&f, m, o)
	if p.Unsupported != nil && p.Unsupported.Reason == tune.Occupied {
		return p // a directory stands where the plan's file belongs: refused
	}
	if err != nil || p.Unsupported != nil {
		t.Fatalf("%v, %+v\n%s", err, p.Unsupported, s)
	}
	before := w.all(t)

	tuner := &apply.Tuner{
		Host: w.host, Disk: w.disk, Dir: "/var/lib/unchoke", Boot: "1", Version: "test", Timer: idle{},
		Now:    func() time.Time { return time.Unix(1, 0) },
		Lock:   func(context.Context) (func(), error) { return func() {}, nil },
		Random: func(b []byte) { b[0]++ },
	}
	if len(p.Changes) > 0 {
		if _, err := tuner.Apply(t.Context(), apply.Order{Changes: p.Changes}, func(*apply.Trial) error { return nil }); err != nil {
			t.Fatalf("apply: %v\n%+v\n%s", err, p.Changes, s)
		}
	}
	w.matches(t, "after apply", tune.AfterApply(&f, &p), s)

	// Applying twice changes nothing.
	again := w.facts(t, r)
	again.System, again.Kernel, again.BacklogDrops = f.System, f.Kernel, f.BacklogDrops
	if p2, err := tune.Make(&again, m, o); err != nil || len(p2.Changes) > 0 {
		t.Errorf("planned again: %s, %v\n%s", said(p2.Changes), err, s)
	}

	applied := present(t)
	w.reboot(t, f.System.Init)
	w.matches(t, "after a reboot", tune.AfterReboot(&f, &p), s)
	restore(t, applied)

	if _, err := tuner.Revert(t.Context(), apply.Way{}); err != nil {
		t.Errorf("revert: %v\n%s", err, s)
	}
	if after := w.all(t); after != before {
		t.Errorf("reverted:\n%s\nbefore:\n%s", after, before)
	}
	if err := os.RemoveAll(filepath.Join(w.root, "var")); err != nil {
		t.Fatal(err)
	}
	return p
}

// said shows changes.
func said(changes []tune.Change) string {
	var b strings.Builder
	for _, c := range changes {
		for _, value := range []*string{c.Old, c.New} {
			text := "nothing"
			if value != nil {
				text = *value
				if v, err := tune.Decode[tune.FileValue](value); c.Kind == tune.File && err == nil {
					text = string(v.Content) + v.Link
				}
			}
			fmt.Fprintf(&b, "\n%s %s %s: %s", c.When, c.Kind, c.Key, text)
		}
	}
	return b.String()
}

// facts surveys the generated host.
func (w *world) facts(t *testing.T, r *rand.Rand) tune.Facts {
	t.Helper()
	var f tune.Facts
	root := os.DirFS(w.root)
	readFiles(&f, root)
	f.Kernel.Release = "6.12.0"
	readKernel(&f, root, sysctl.Kernel)
	if r.IntN(2) == 0 { // modules, loaded
		f.Kernel.BuiltIn, f.Kernel.Modules, f.Kernel.Loaded = nil, tune.Wanted, tune.Wanted
	}
	f.System.ID, f.System.Memory = "debian", int64(1+r.IntN(8))<<30
	f.System.Init = []tune.Init{tune.Systemd, tune.ProcpsInit}[r.IntN(2)]
	if r.IntN(5) == 0 {
		f.BacklogDrops = 12
	}
	if err := readLive(&f, w.host); err != nil {
		t.Fatal(err)
	}
	f.Devices = slices.DeleteFunc(f.Devices, func(d tune.Device) bool { return !slices.Contains(w.devices, d.Name) })
	for _, name := range filesToKeep(&f) {
		value, err := w.host.Read(tune.File, name)
		if err != nil {
			t.Fatal(err)
		}
		if value != nil {
			f.Files[name] = *value
		}
	}
	if len(f.Warnings) > 0 {
		t.Fatal(f.Warnings)
	}
	return f
}

// measuredPath is what a check could have found.
func measuredPath(r *rand.Rand, devices []string) *tune.Measured {
	if r.IntN(8) == 0 {
		return nil
	}
	way := func() *tune.Way {
		w := &tune.Way{Capacity: float64(1+r.IntN(900)) * 1e6, CC: pick(r, "cubic", "cubic", "bbr", "")}
		w.Rate = w.Capacity * r.Float64()
		for range 1 + r.IntN(2) {
			w.Causes = append(w.Causes, finding.Cause(pick(r, "healthy", "loss-limited", "loss-limited", "reordering", "policed", "bufferbloat", "send-buffer", "receive-window", "mtu-blackhole")))
		}
		if slices.Contains(w.Causes, "policed") {
			w.Policer = w.Capacity
		}
		return w
	}
	return &tune.Measured{
		Target: "far:5201", RTT: r.Float64() / 3, Device: pick(r, append(devices, "eth9")...),
		Tunnel: pick(r, "none", "wireguard", "gre"), Up: way(), Down: way(),
	}
}

// attach gives the devices their qdiscs: the kernel's choice of one moment or
// another, or somebody's.
func (w *world) attach(t *testing.T, r *rand.Rand) {
	t.Helper()
	for _, name := range w.devices {
		if name == "dum0" {
			continue // it has no queue
		}
		dev, err := net.InterfaceByName(name)
		if err != nil {
			t.Fatal(err)
		}
		kind := pick(r, "pfifo_fast", "pfifo_fast", "fq_codel", "fq")
		byItself := tune.QdiscValue{Kind: kind, Handle: "0:"}
		if name == "many0" {
			byItself = tune.QdiscValue{Kind: "mq", Handle: "0:", Leaves: make([]tune.QdiscValue, 4)}
			for i := range byItself.Leaves {
				byItself.Leaves[i] = tune.QdiscValue{Kind: kind, Handle: "0:", Parent: fmt.Sprintf(":%x", i+1)}
			}
		}
		if err := treetest.Build(w.host, name, byItself, nil); err != nil {
			t.Fatal(err)
		}
		if r.IntN(3) > 0 {
			continue
		}
		chosen := []qdisc.Qdisc{
			qdisc.Stock("fq_codel"),
			qdisc.FIFO{Packets: 100},
			qdisc.TBF{Rate: 10 * unit.Mbit, Burst: 10 * unit.KiB, Limit: 100 * unit.KiB},
			qdisc.Attached{Name: "cake"},
			qdisc.Attached{Name: "fq"},
			qdisc.Attached{Name: "fq", Options: qdisc.WithMaxRate(50e6)},
			qdisc.Attached{Name: "pfifo_fast"},
		}[r.IntN(7)]
		if err := rtnl.Do(qdisc.ReplaceRequest("", dev.Index, qdisc.Root, qdisc.MakeHandle(0x8000, 0), chosen)); err != nil {
			t.Fatalf("attach %s to %s: %v", chosen.Kind(), name, err)
		}
	}
}

func set(t *testing.T, key, value string) {
	t.Helper()
	if err := os.WriteFile("/proc/sys/"+sysctlkey.Path(key), []byte(value), 0); err != nil {
		t.Fatalf("set %s to %q: %v", key, value, err)
	}
}

// reboot gives the sysctls the values of a fresh boot and has the init
// system's reader set them.
func (w *world) reboot(t *testing.T, init tune.Init) {
	t.Helper()
	restore(t, w.fresh)
	p := programs["systemd-sysctl"]
	if init == tune.ProcpsInit {
		p = programs["procps"]
	}
	run := exec.Command(p.path, p.args...)
	run.SysProcAttr = &syscall.SysProcAttr{Chroot: w.root}
	run.Env, run.Dir = []string{"SYSTEMD_LOG_LEVEL=emerg"}, "/"
	if err := run.Run(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			t.Fatal(err)
		}
	}
}

// matches compares what was predicted with what is.
func (w *world) matches(t *testing.T, when string, want tune.State, s hostState) {
	t.Helper()
	for key, value := range want.Sysctls {
		words, err := sysctl.Kernel.Words(key)
		if have := strings.Join(words, " "); err != nil || have != value {
			t.Errorf("%s: %s is %q, %v, predicted %q\n%s", when, key, have, err, value, s)
		}
	}
	for name, tree := range want.Qdiscs {
		got, err := readQdisc(w.host, name)
		if err != nil || !tree.Matches(got) {
			t.Errorf("%s: the qdisc of %s is %+v, %v, predicted %+v", when, name, got, err, tree)
		}
	}
}

// all is everything that a plan could have changed, as text.
func (w *world) all(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{"etc", "run", "srv", "opt", "usr/lib/sysctl.d", "usr/local"} {
		err := filepath.WalkDir(filepath.Join(w.root, dir), func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // the directory is not there
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			b.WriteString(name + " " + info.Mode().String())
			switch {
			case info.Mode().IsRegular():
				content, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				b.Write(content)
			case info.Mode()&fs.ModeSymlink != 0:
				target, err := os.Readlink(name)
				if err != nil {
					return err
				}
				b.WriteString(" -> " + target)
			}
			b.WriteByte('\n')
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	values := present(t)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		b.WriteString(key + " = " + values[key] + "\n")
	}
	for _, name := range w.devices {
		value, err := w.host.Read(tune.Qdisc, name)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(name + " " + *value + "\n")
	}
	return b.String()
}

// idle is a timer that nobody waits for.
type idle struct{}

func (idle) Arm(context.Context, string, time.Duration) (journal.Timer, error) {
	return journal.Timer{}, nil
}

func (idle) Disarm(journal.Timer) error { return nil }

// rooted is a disk below a directory.
type rooted struct {
	on   disk.Disk
	root string
}

func (d rooted) at(name string) string { return filepath.Join(d.root, name) }

func (d rooted) Look(name string) (disk.File, error)      { return d.on.Look(d.at(name)) }
func (d rooted) Read(name string) ([]byte, error)         { return d.on.Read(d.at(name)) }
func (d rooted) List(dir string) ([]string, error)        { return d.on.List(d.at(dir)) }
func (d rooted) Link(name string, f disk.File) error      { return d.on.Link(d.at(name), f) }
func (d rooted) Mkdir(name string, f disk.File) error     { return d.on.Mkdir(d.at(name), f) }
func (d rooted) Append(name string, content []byte) error { return d.on.Append(d.at(name), content) }

func (d rooted) Truncate(name string, size int64) error { return d.on.Truncate(d.at(name), size) }
func (d rooted) Sync(name string) error                 { return d.on.Sync(d.at(name)) }
func (d rooted) Rename(from, to string) error           { return d.on.Rename(d.at(from), d.at(to)) }
func (d rooted) Remove(name string) error               { return d.on.Remove(d.at(name)) }
func (d rooted) Create(name string, f disk.File, content []byte, like string) error {
	return d.on.Create(d.at(name), f, content, d.at(like))
}
