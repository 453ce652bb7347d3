package load

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"unchoke/internal/linux/proc"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
)

const tunnelPID = 1 << 22 // no process has so high a number

// host is one whose clock and counters a test turns.
type host struct {
	*Host
	tree  fstest.MapFS
	clock time.Time
}

func newHost() *host {
	h := &host{tree: fstest.MapFS{}, clock: time.Unix(1000, 0)}
	h.Host = &Host{
		proc: h.tree, root: fstest.MapFS{}, now: func() time.Time { return h.clock },
		udp:    func() ([]sockdiag.UDPSocket, error) { return nil, nil },
		tunnel: proc.Task{ID: tunnelPID, Name: "vpnd"}, tunnelled: true,
	}
	h.at(0)
	return h
}

// at sets the counters of a moment: two cores, of which the second is full: 70
// of 100 ticks of the tunnel's thread, 30 of another program's, 5 of softirq
// among them.
func (h *host) at(second int) {
	n := 100 * second
	set := func(name, format string, args ...any) {
		h.tree[name] = &fstest.MapFile{Data: fmt.Appendf(nil, format, args...)}
	}
	set("stat", "cpu 0\ncpu0 %d 0 0 %d 0 0 0 0 0 0\ncpu1 %d 0 0 0 0 0 %d 0 0 0\n", 10*second, 90*second, 95*second, 5*second)
	task := func(dir string, id int, name string, ticks, core int) {
		set(dir+"/stat", "%d (%s) S 1 1 1 0 -1 0 1 2 3 4 %d 0 0 0 20 0 9 0 100 1000 50 1 1 1 0 0 0 0 0 0 0 0 0 0 17 %d 0 0 0 0 0\n", id, name, ticks, core)
	}
	task(fmt.Sprint(tunnelPID), tunnelPID, "vpnd", n*7/10, 1)
	task(fmt.Sprintf("%d/task/%d", tunnelPID, tunnelPID), tunnelPID, "vpnd", n*7/10, 1)
	task("77", 77, "ffmpeg", n*3/10, 1)
	task("78", 78, "idle", 0, 0)
	task(fmt.Sprint(os.Getpid()), os.Getpid(), "unchoke", n/10, 0)
	task(fmt.Sprintf("%d/task/%d", os.Getpid(), os.Getpid()), os.Getpid(), "unchoke", n/10, 0)
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestCPU(t *testing.T) {
	h := newHost()
	tr := h.Begin()
	began := h.clock
	for s := 1; s <= 8; s++ {
		h.clock = h.clock.Add(time.Second)
		h.at(s)
		tr.Look()
		tr.Look() // at once again: no reading
	}
	tr.End()
	c := tr.CPU(began, 8*time.Second)
	if c == nil || len(c.Cores) != 2 || !near(c.From, 2) || !near(c.Time, 6) {
		t.Fatalf("%+v", c)
	}
	full := c.Cores[1]
	if !near(full.Busy, 1) || !near(full.SoftIRQ, 0.05) || !near(c.Cores[0].Busy, 0.1) {
		t.Errorf("cores %+v", c.Cores)
	}
	want := []record.CoreUse{{Name: "vpnd", Role: record.TunnelProgram, Share: 0.7}, {Name: "ffmpeg", Role: record.OtherProgram, Share: 0.3}}
	if len(full.By) != 2 || full.By[0].Name != want[0].Name || full.By[0].Role != want[0].Role || !near(full.By[0].Share, 0.7) || !near(full.By[1].Share, 0.3) {
		t.Errorf("by %+v, want %+v", full.By, want)
	}
	if p := c.Programs[0]; p.Name != "vpnd" || p.Role != record.TunnelProgram || !near(p.Cores, 0.7) || !near(p.Thread, 0.7) {
		t.Errorf("programs %+v", c.Programs)
	}
	if slices.ContainsFunc(c.Programs, func(p record.ProgramUse) bool { return p.Name == "idle" }) {
		t.Errorf("a program that did nothing is named: %+v", c.Programs)
	}
	if n := len(tr.looks); n != 10 { // before, eight, after
		t.Errorf("%d readings", n)
	}
}

// A clock that stands still, as a virtual machine's processors in virtual time,
// has no shares.
func TestNoTime(t *testing.T) {
	h := newHost()
	tr := h.Begin()
	began := h.clock
	h.clock = h.clock.Add(time.Second)
	tr.End()
	if c := tr.CPU(began, time.Second); c == nil || len(c.Cores) != 0 {
		t.Errorf("%+v", c)
	}
	if c := tr.CPU(began, 0); c != nil {
		t.Errorf("of no time: %+v", c)
	}
}

func TestNil(t *testing.T) {
	var h *Host
	tr := h.Begin()
	tr.Look()
	tr.End()
	if tr.CPU(time.Time{}, time.Second) != nil || h.BeginSockets().End() != nil {
		t.Error("a host that tells nothing tells something")
	}
}

func TestDrops(t *testing.T) {
	h := newHost()
	sockets := []sockdiag.UDPSocket{{Inode: 5, Drops: 100, Buffer: 8192}, {Inode: 6, Drops: 3}}
	h.udp = func() ([]sockdiag.UDPSocket, error) { return slices.Clone(sockets), nil }
	s := h.BeginSockets()
	sockets[0].Drops += 7
	sockets = append(sockets, sockdiag.UDPSocket{Inode: 9, Drops: 40}) // made meanwhile
	h.tree["77/fd/3"] = &fstest.MapFile{Data: []byte("socket:[9]"), Mode: os.ModeSymlink}
	h.tree[fmt.Sprintf("%d/fd/3", tunnelPID)] = &fstest.MapFile{Data: []byte("socket:[5]"), Mode: os.ModeSymlink}
	got := s.End()
	if got == nil || len(got.Sockets) != 2 {
		t.Fatalf("%+v", got)
	}
	if x := got.Sockets[0]; x.Program != "ffmpeg" || x.Drops != 40 || x.Role != record.OtherProgram {
		t.Errorf("%+v", x)
	}
	if x := got.Sockets[1]; x.Program != "vpnd" || x.Drops != 7 || x.Role != record.TunnelProgram || x.Buffer != 8192 {
		t.Errorf("%+v", x)
	}
}
