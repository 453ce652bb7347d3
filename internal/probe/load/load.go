// Package load watches what this host does while a transfer runs: what its
// cores are busy with, how control groups hold programs back, and what UDP
// sockets throw away.
package load

import (
	"cmp"
	"io/fs"
	"net"
	"os"
	"runtime"
	"sort"
	"time"

	"unchoke/internal/linux/cgroup"
	"unchoke/internal/linux/device"
	"unchoke/internal/linux/proc"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
)

// Host is what a check watches of this host: made once, used for every
// transfer. A nil one watches nothing.
type Host struct {
	proc, root fs.FS
	now        func() time.Time
	udp        func() ([]sockdiag.UDPSocket, error)
	tunnel     proc.Task // the process that holds the tunnel's device
	tunnelled  bool
}

// New finds the program that carries the packets of a device, if one does. It is
// nil where there is no /proc to read.
func New(name string) *Host {
	if runtime.GOOS != "linux" {
		return nil
	}
	h := &Host{proc: proc.System(), root: cgroup.System(), now: time.Now, udp: sockdiag.UDP}
	if isTUN(name) {
		h.tunnel, h.tunnelled = proc.Holder(h.proc, name)
	}
	return h
}

// isTUN says that a program carries the packets of a device: who that is takes
// a look at every process's descriptors.
func isTUN(name string) bool {
	dev, err := net.InterfaceByName(name)
	if err != nil {
		return false
	}
	known, err := device.ByIndex(dev.Index)
	return err == nil && known.Kind == "tun"
}

// watched lists the processes whose threads are followed, the tunnel's first.
func (h *Host) watched() []watched {
	self := watched{os.Getpid(), record.Measuring}
	if h.tunnelled {
		return []watched{{h.tunnel.ID, record.TunnelProgram}, self}
	}
	return []watched{self}
}

// watched is a process and what it has to do with the transfer.
type watched struct {
	pid  int
	role record.Role
}

func (h *Host) role(pid int) record.Role {
	for _, w := range h.watched() {
		if w.pid == pid {
			return w.role
		}
	}
	return record.OtherProgram
}

// lookEvery bounds how often threads are looked at: each look reads a file a
// thread, some milliseconds of a slow router's core.
const lookEvery = 250 * time.Millisecond

// Transfer watches one transfer.
type Transfer struct {
	host        *Host
	looks       []look
	first, last processes
}

// Begin takes the readings before a transfer.
func (h *Host) Begin() *Transfer {
	if h == nil {
		return nil
	}
	t := &Transfer{host: h}
	t.first = h.processes()
	t.look()
	return t
}

// Look takes a further reading, unless the last one is young.
func (t *Transfer) Look() {
	if t != nil && t.host.now().Sub(t.looks[len(t.looks)-1].at) >= lookEvery {
		t.look()
	}
}

// End takes the last readings.
func (t *Transfer) End() {
	if t == nil {
		return
	}
	t.look()
	t.last = t.host.processes()
}

func (t *Transfer) look() { t.looks = append(t.looks, t.host.look()) }

// nearest is the place of the look that was taken next to a moment.
func (t *Transfer) nearest(at time.Time) int {
	best := 0
	for i, l := range t.looks {
		if l.at.Sub(at).Abs() < t.looks[best].at.Sub(at).Abs() {
			best = i
		}
	}
	return best
}

// largest keeps so many, the largest first.
func largest(uses []record.CoreUse, n int) []record.CoreUse {
	sort.SliceStable(uses, func(i, j int) bool {
		a, b := &uses[i], &uses[j]
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name)) < 0
	})
	return uses[:min(n, len(uses))]
}
