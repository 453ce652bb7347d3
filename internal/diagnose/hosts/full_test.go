package hosts

import (
	"math"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

// A core that is full of what ends on this host holds its stream, whether the
// kernel does that in softirqs or as the program asks; what others do there, and
// what the program does for itself, does not count, and a stream that carries what
// the path can is not slow.
func TestFullOfOwnTCP(t *testing.T) {
	use := func(name string, role record.Role, share float64) record.CoreUse {
		return record.CoreUse{Name: name, Role: role, Share: share}
	}
	self := use("unchoke", record.Measuring, 0.35)
	for name, c := range map[string]struct {
		core record.Core
		own  float64 // 0: not this
	}{
		"mostly softirq":          {inKernel(core(0, 1, 0.7, self), 0.2), 0.9},
		"mostly as it asks":       {inKernel(core(0, 1, 0.2, use("unchoke", record.Measuring, 0.7)), 0.7), 0.9},
		"beside others":           {inKernel(core(0, 1, 0.4, self, use("ffmpeg", record.OtherProgram, 0.15)), 0.4), 0.65},
		"mostly others":           {inKernel(core(0, 1, 0.3, self, use("ffmpeg", record.OtherProgram, 0.4)), 0.4), 0},
		"others in the kernel":    {inKernel(core(0, 1, 0.4, use("rsync", record.OtherProgram, 0.6)), 0.6), 0},
		"mostly the tunnel's":     {inKernel(core(0, 1, 0, use("vpnd", record.TunnelProgram, 0.6), use("unchoke", record.Measuring, 0.1)), 1), 0},
		"nobody's":                {inKernel(core(0, 1, 0, use("unchoke", record.Measuring, 0.1)), 1), 0},
		"this program's own time": {inKernel(core(0, 1, 0.2, use("unchoke", record.Measuring, 0.8)), 0.2), 0},
		"time left":               {inKernel(core(0, 0.9, 0.5, self), 0.4), 0},
		"a record of before":      {core(0, 1, 0.6, self), 0},
	} {
		v := &view.View{Rate: 20e6, Capacity: 100e6, One: &record.Transfer{CPU: &record.CPU{Cores: []record.Core{c.core}}}}
		f, ok := fullOfOwnTCP(v, view.End{One: v.One})
		if ok != (c.own > 0) || ok && math.Abs(f.Carrying-c.own) > 1e-9 {
			t.Errorf("%s: %v %+v, want %g", name, ok, f, c.own)
		}
		others := &record.CPU{Cores: []record.Core{core(0, 1, 1)}}
		if f, ok := fullOfOwnTCP(v, view.End{One: v.One, Idle: others}); ok {
			t.Errorf("%s: others' packets fill the core without load: %+v", name, f)
		}
		v.Rate = 90e6
		if f, ok := fullOfOwnTCP(v, view.End{One: v.One}); ok {
			t.Errorf("%s: a stream that carries what the path can: %+v", name, f)
		}
	}
}

func inKernel(c record.Core, share float64) record.Core {
	c.Kernel = share
	return c
}

func core(number int, busy, softirq float64, by ...record.CoreUse) record.Core {
	return record.Core{Core: number, Busy: busy, SoftIRQ: softirq, By: by}
}
