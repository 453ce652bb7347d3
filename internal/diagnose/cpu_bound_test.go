package diagnose

import (
	"math"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// busy is a healthy run of 100 Mbit/s or so, both ways, with these processors
// under each stream.
func busy(t *testing.T, c record.CPU) *record.Run {
	t.Helper()
	run := load(t, "testdata/healthy--one-bdp-of-queue.json.gz")
	each(run, func(tr *record.Transfer) {
		if tr.Protocol == record.TCP {
			own := c
			own.From, own.Time = 0, tr.Duration
			tr.CPU = &own
		}
	})
	return run
}

func vpn(cores, thread float64) record.ProgramUse {
	return record.ProgramUse{Name: "vpnd", PID: 7, Role: record.TunnelProgram, Cores: cores, Thread: thread}
}

func core(number int, busy, softirq float64, by ...record.CoreUse) record.Core {
	return record.Core{Core: number, Busy: busy, SoftIRQ: softirq, By: by}
}

func limit(throttled int64) record.GroupUse {
	return record.GroupUse{Path: "/vpn", Version: 2, Role: record.TunnelProgram, Cores: 0.5, Used: 0.4, Periods: 40, Throttled: throttled}
}

// What carries packets has a limit; other programs, whatever they take of the
// cores, are not the stream's.
func TestCPUBound(t *testing.T) {
	use := func(name string, role record.Role, share float64) record.CoreUse {
		return record.CoreUse{Name: name, Role: role, Share: share}
	}
	for name, c := range map[string]struct {
		cpu  record.CPU
		want finding.Cause
		used float64 // of what is full
	}{
		"a limit used up":              {record.CPU{Groups: []record.GroupUse{limit(39)}, Programs: []record.ProgramUse{vpn(0.4, 0.1)}}, finding.CPUBound, 0.8},
		"a limit that does not hold":   {record.CPU{Groups: []record.GroupUse{limit(2)}, Programs: []record.ProgramUse{vpn(0.4, 0.1)}}, finding.Healthy, 0},
		"one thread that never rests":  {record.CPU{Programs: []record.ProgramUse{vpn(1.1, 0.97)}}, finding.CPUBound, 0.97},
		"many threads":                 {record.CPU{Programs: []record.ProgramUse{vpn(1.4, 0.4)}}, finding.Healthy, 0},
		"softirq":                      {record.CPU{Cores: []record.Core{core(0, 0.3, 0.1), core(1, 0.99, 0.9, use("ksoftirqd/1", record.KernelThread, 0.8))}}, finding.CPUBound, 0.99},
		"the kernel's WireGuard":       {record.CPU{Cores: []record.Core{core(0, 1, 0.3, use("kworker/0:1+wg-crypt-wg0", record.KernelThread, 0.85))}}, finding.CPUBound, 1},
		"a thread of a card's":         {record.CPU{Cores: []record.Core{core(0, 1, 0.2, use("napi/eth0-8193", record.KernelThread, 0.9))}}, finding.CPUBound, 1},
		"full of disks":                {record.CPU{Cores: []record.Core{core(2, 1, 0.01, use("md127_raid6", record.KernelThread, 0.98))}}, finding.Healthy, 0},
		"full of ciphers for disks":    {record.CPU{Cores: []record.Core{core(2, 1, 0.01, use("kworker/u8:0+kcryptd/253:0", record.KernelThread, 0.98))}}, finding.Healthy, 0},
		"the tunnel and softirq":       {record.CPU{Cores: []record.Core{core(0, 0.9, 0.3, use("vpnd", record.TunnelProgram, 0.6)), core(1, 0.98, 0.3, use("vpnd", record.TunnelProgram, 0.6))}}, finding.CPUBound, 0.98},
		"a core with time left":        {record.CPU{Cores: []record.Core{core(0, 0.9, 0.3, use("vpnd", record.TunnelProgram, 0.6))}}, finding.Healthy, 0},
		"full of somebody else's work": {record.CPU{Cores: []record.Core{core(0, 1, 0.05, use("ffmpeg", record.OtherProgram, 0.6), use("vpnd", record.TunnelProgram, 0.35))}}, finding.Healthy, 0},
		"full of this program":         {record.CPU{Cores: []record.Core{core(0, 1, 0.3, use("unchoke", record.Measuring, 0.7))}}, finding.Healthy, 0},
		"no clock (virtual time)":      {record.CPU{Cores: []record.Core{}}, finding.Healthy, 0},
	} {
		run := busy(t, c.cpu)
		findings := Diagnose(run)
		if got := finding.Verdict(findings); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
			continue
		}
		for _, f := range findings {
			if f.Cause != finding.CPUBound {
				continue
			}
			wellFormed(t, f)
			i := slices.IndexFunc(run.Transfers, func(tr record.Transfer) bool {
				return tr.Direction == f.Direction && tr.Streams == 1 && tr.Protocol == record.TCP
			})
			want := run.Transfers[i].Goodput(0, 1) / c.used
			if got := f.Evidence[1].Value; math.Abs(got/want-1) > 0.01 {
				t.Errorf("%s, %s: the ceiling is %.4g, want %.4g", name, f.Direction, got, want)
			}
		}
	}
}

// What a core does with packets without load is not the stream's, whose share has to
// fill the core.
func TestOthersPackets(t *testing.T) {
	softirq := func(share float64) []record.Core { return []record.Core{core(0, 0.3, 0.1), core(1, share, share)} }
	for name, c := range map[string]struct {
		idle []record.Core
		want finding.Cause
	}{
		"full without load":        {softirq(1), finding.Healthy},
		"half full without load":   {softirq(0.5), finding.Healthy},
		"little without load":      {softirq(0.1), finding.CPUBound},
		"of another core":          {[]record.Core{core(0, 1, 1)}, finding.CPUBound},
		"of a thread without load": {[]record.Core{core(1, 1, 0, record.CoreUse{Name: "napi/eth1-8194", Role: record.KernelThread, Share: 0.9})}, finding.Healthy},
		"of disks without load":    {[]record.Core{core(1, 1, 0, record.CoreUse{Name: "md127_raid6", Role: record.KernelThread, Share: 0.9})}, finding.CPUBound},
		"not told":                 {nil, finding.CPUBound},
	} {
		run := busy(t, record.CPU{Cores: softirq(1)})
		run.IdleCPU = &record.CPU{Cores: c.idle}
		if got := finding.Verdict(Diagnose(run)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What the program spends on echo probes is not the stream's.
func TestProbesAreNotTheStreams(t *testing.T) {
	cpu := record.CPU{Groups: []record.GroupUse{limit(40)}, Programs: []record.ProgramUse{vpn(0.4, 0.1)}}
	ceiling := func(run *record.Run) float64 { return Diagnose(run)[0].Evidence[1].Value }
	without := ceiling(busy(t, cpu))
	run := busy(t, cpu)
	run.IdleCPU = &record.CPU{Programs: []record.ProgramUse{vpn(0.04, 0)}}
	if got, want := ceiling(run), without*0.8/(0.8-0.08); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%.4g, want %.4g", got, want)
	}
}

// A remedy names the group, and Tailscale's advice only where it does something.
func TestCPURemedies(t *testing.T) {
	yes, no := true, false
	group := record.CPU{Groups: []record.GroupUse{limit(40)}, Programs: []record.ProgramUse{vpn(0.4, 0.1)}}
	router := func(r *record.Run) {
		r.Route.Tunnel.Kind, r.Route.Tunnel.Carrier = "tailscale", record.Userspace
		r.Near.Forwards, r.Near.Kernel = true, "6.8.0-31-generic"
		r.NICs = []record.NIC{{Device: "tailscale0", Use: record.OnRoute, Driver: "tun"}, {Device: "eth0", Use: record.DefaultRoute, GRO: true, Forwarding: &no}}
	}
	const advice = "rx-udp-gro-forwarding on rx-gro-list off"
	for name, c := range map[string]struct {
		change func(*record.Run)
		want   bool
	}{
		"a router":               {func(*record.Run) {}, true},
		"it is on":               {func(r *record.Run) { r.NICs[1].Forwarding = &yes }, false},
		"on, but so is the list": {func(r *record.Run) { r.NICs[1].Forwarding, r.NICs[1].List = &yes, true }, true},
		"no router":              {func(r *record.Run) { r.Near.Forwards = false }, false},
		"an older kernel":        {func(r *record.Run) { r.Near.Kernel = "6.1.0" }, false},
		"a kernel not known":     {func(r *record.Run) { r.Near.Kernel = "" }, false},
		"another tunnel":         {func(r *record.Run) { r.Route.Tunnel.Kind = "netbird" }, false},
		"no card":                {func(r *record.Run) { r.NICs = r.NICs[:1] }, false},
		"a card without it":      {func(r *record.Run) { r.NICs[1].Forwarding = nil }, false},
	} {
		run := busy(t, group)
		router(run)
		c.change(run)
		f := Diagnose(run)[0]
		has := slices.ContainsFunc(f.Remedies, func(r finding.Remedy) bool { return strings.Contains(r.Command, advice) })
		if has != c.want {
			t.Errorf("%s: advised %v", name, has)
		}
		if a := f.Remedies[0].Action; a == nil || a.Kind != finding.KindCPULimit || a.Group != "/vpn" || a.Cores <= 0.5 || f.Remedies[0].Host != "near" {
			t.Errorf("%s: %+v", name, f.Remedies[0])
		}
	}
}

// A slow stream's kernel is named whatever the cause seems to be.
func TestKernelFaultComesFirst(t *testing.T) {
	run := load(t, dropping)
	run.Near.Kernel, run.Route.Tunnel.Carrier = "7.1.2", record.Userspace
	for _, f := range Diagnose(run) {
		named := len(f.Remedies) > 0 && strings.Contains(f.Remedies[0].What, "fixed in 7.1.5")
		if named != (f.Cause != finding.Healthy) {
			t.Errorf("%s: %+v", f.Cause, f.Remedies)
		}
	}
}
