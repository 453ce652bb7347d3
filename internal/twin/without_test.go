package twin

import (
	"reflect"
	"slices"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/path"
	"unchoke/internal/record"
)

// panelOn is a panel of copies of one path.
func panelOn(t *testing.T, text string) Panel {
	t.Helper()
	p, err := path.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return Panel{Direction: record.Up, Members: []Copy{{Path: p, CC: "cubic"}, {Path: p, CC: "cubic"}}}
}

func withoutWhat(arms []Arm) []string {
	var out []string
	for _, a := range arms {
		out = append(out, a.Name)
	}
	return out
}

// What a path has is taken away, buffers where it comes near them, and two at a
// time what may hide each other.
func TestCounterfactuals(t *testing.T) {
	clean := panelOn(t, "rtt=40ms,rate=20mbit,queue=200KiB")
	near := clean
	near.NearBuffers = true
	for name, c := range map[string]struct {
		panel Panel
		found []finding.Finding
		want  []string
	}{
		"a clean path":            {clean, nil, nil},
		"one that fills a buffer": {near, nil, []string{"without the limit of the send buffer", "without the limit of the receive window", "without the limit of the send buffer and the limit of the receive window"}},
		"a buffer that was found": {clean, []finding.Finding{{Cause: finding.SendBuffer, Direction: record.Up}}, []string{"without the limit of the send buffer"}},
		"loss and a short queue": {
			panelOn(t, "rtt=40ms,rate=20mbit,queue=10KiB,loss=0.1%"), nil,
			[]string{"without random loss", "without too short a queue", "without random loss and too short a queue"},
		},
		"loss beside a buffer that was found": {
			panelOn(t, "rtt=40ms,rate=20mbit,queue=200KiB,loss=0.1%"),
			[]finding.Finding{{Cause: finding.SendBuffer, Direction: record.Up}},
			[]string{"without random loss", "without the limit of the send buffer", "without random loss and the limit of the send buffer"},
		},
		"a thin way back": {panelOn(t, "rtt=40ms,up.rate=50mbit,down.rate=300kbit,up.queue=1MiB"), nil, []string{"without too thin a way back"}},
	} {
		if got := withoutWhat(c.panel.Counterfactuals(c.found)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Members that lack what an arm is without tell nothing of it.
func TestFirstLack(t *testing.T) {
	lossy, clean := panelOn(t, "rtt=40ms,rate=20mbit,queue=200KiB,loss=0.1%"), panelOn(t, "rtt=40ms,rate=20mbit,queue=200KiB")
	late := clean
	late.Members = slices.Concat(clean.Members, lossy.Members)
	arm := late.lacking(finding.LossLimited)
	for name, c := range map[string]struct {
		panel Panel
		arm   Arm
		want  bool
	}{
		"the last have it":       {late, arm, true},
		"all have it":            {lossy, arm, false},
		"none has it":            {clean, arm, false},
		"an arm without nothing": {late, Now(record.Up), false},
	} {
		if got := c.panel.FirstLack(c.arm, 2); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Bunches overflow a queue that holds evenly sent packets: without too short a queue
// nothing comes in bunches. A delay that hardly varies makes none.
func TestWithoutBunches(t *testing.T) {
	for text, want := range map[string]string{
		"rtt=40ms,rate=20mbit,queue=200KiB,jitter=5ms,order=keep":                        "rtt=40ms,rate=20mbit,queue=200KiB",
		"rtt=40ms,rate=20mbit,queue=10KiB,jitter=5ms,order=keep":                         "rtt=40ms,rate=20mbit,up.queue=1bdp,down.queue=10KiB",
		"rtt=40ms,rate=20mbit,queue=200KiB,jitter=1ms,order=keep":                        "",
		"rtt=40ms,rate=20mbit,queue=200KiB,jitter=5ms,order=free":                        "rtt=40ms,rate=20mbit,queue=200KiB",
		"rtt=40ms,rate=20mbit,queue=200KiB,up.policer=5mbit:20KiB,jitter=5ms,order=keep": "rtt=40ms,rate=20mbit,queue=200KiB,up.policer=5mbit:20KiB",
	} {
		c := panelOn(t, text).Members[0]
		got, had := c.without(finding.ShallowBuffer)
		if had != (want != "") {
			t.Errorf("%s: had %v", text, had)
		}
		if want == "" {
			continue
		}
		wanted := panelOn(t, want).Members[0]
		if !reflect.DeepEqual(got.Path, wanted.Path) {
			t.Errorf("%s: %v, want %v", text, got.Path, wanted.Path)
		}
	}
}

// Without packets that overtake the delay varies as before, and keeps the order.
func TestWithoutOvertaking(t *testing.T) {
	const text = "rtt=40ms,rate=20mbit,queue=200KiB,jitter=5ms,order="
	for order, want := range map[string]bool{"free": true, "keep": false} {
		got, had := panelOn(t, text+order).Members[0].without(finding.Reordering)
		if had != want {
			t.Errorf("%s: had %v", order, had)
		}
		if kept := panelOn(t, text+"keep").Members[0]; !reflect.DeepEqual(got.Path, kept.Path) {
			t.Errorf("%s: %v, want %v", order, got.Path, kept.Path)
		}
	}
}

// Without their limit both buffers are ample, and a sender's known one is gone.
func TestWithoutBuffers(t *testing.T) {
	c := Copy{SendMax: 1 << 20}
	c, _ = c.without(finding.SendBuffer)
	c, _ = c.without(finding.ReceiveWindow)
	if c.SendMax != ample || c.ReceiveMax != ample {
		t.Errorf("buffers of %v and %v, want %v", c.SendMax, c.ReceiveMax, ample)
	}
}

// A copy has no tunnel. Acknowledgements lose a larger part of their size with it
// than full packets do, so that a way back which carries nothing else is slower
// by more.
func TestBareWayBack(t *testing.T) {
	p, err := path.Parse("rtt=40ms,up.rate=50mbit,down.rate=300kbit,down.queue=10KiB")
	if err != nil {
		t.Fatal(err)
	}
	f := Fit{Tunnel: path.WireGuard, mss: 1368}
	bare := f.bare(p)
	for what, c := range map[string]struct{ got, want float64 }{
		"full packets":     {float64(bare.Up.Rate) / 50e6, 1434.0 / 1494},
		"acknowledgements": {float64(bare.Down.Rate) / 300e3, 66.0 / 126},
		"their queue":      {float64(bare.Down.Queue.Bytes) / 10240, 66.0 / 126},
	} {
		if c.got < c.want-0.001 || c.got > c.want+0.001 {
			t.Errorf("%s: %.4f of the rate, want %.4f", what, c.got, c.want)
		}
	}
	p.Down.Cross = crossOf("1xcubic")
	if got := float64(f.bare(p).Down.Rate) / 300e3; got < 0.95 {
		t.Errorf("with others' full packets: %.4f of the rate, want as much as there", got)
	}
}

// A connection without selective acknowledgements is rebuilt as one, and they are taken for
// a remedy and for what is taken away. What came behind a gap is no limit of its receiver.
func TestNoSACK(t *testing.T) {
	fit, err := Of(load(t, "several/no-sack+shallow-buffer--24-packets"))
	if err != nil {
		t.Fatal(err)
	}
	c := fit.Copy(record.Up, 0, 1)
	if !c.NoSACK || c.ReceiveMax != 0 {
		t.Errorf("the copy is %+v", c)
	}
	if other, had := c.without(finding.NoSACK); !had || other.NoSACK {
		t.Errorf("taken away: %t, %+v", had, other)
	}
	arms, _ := Remedies([]finding.Finding{{Direction: record.Up, Remedies: []finding.Remedy{finding.Remedy{}.By(finding.AcknowledgeSelectively())}}})
	if len(arms) != 1 || arms[0].trial(c).NoSACK || !Now(record.Up).trial(c).NoSACK {
		t.Errorf("arms %+v", arms)
	}
	if likely().Copy(record.Up, 0, 1).NoSACK {
		t.Error("a path of which nothing is known has none")
	}
}

// A way back is thin by its bottleneck or by the shaper of the host that sends there, and by
// what is less of the two on the way there.
func TestThinWayBack(t *testing.T) {
	for text, want := range map[string]string{
		"rtt=40ms,up.rate=100mbit,down.rate=1mbit,down.queue=9KiB":            "rtt=40ms,rate=100mbit",
		"rtt=40ms,up.rate=100mbit,down.sqm=1mbit:cake":                        "rtt=40ms,rate=100mbit",
		"rtt=40ms,up.rate=100mbit,down.rate=50mbit,down.sqm=1mbit:cake":       "rtt=40ms,rate=100mbit",
		"rtt=40ms,up.rate=100mbit,down.rate=1mbit,down.sqm=1500kbit:fq_codel": "rtt=40ms,rate=100mbit",
		"rtt=40ms,up.sqm=60mbit:cake,down.rate=1mbit":                         "rtt=40ms,down.rate=60mbit,up.sqm=60mbit:cake",
		"rtt=40ms,up.rate=100mbit,up.sqm=15mbit:cake,down.rate=1mbit":         "", // fifteen times as much is not too much for acknowledgements
		"rtt=40ms,up.rate=100mbit,down.sqm=50mbit:cake":                       "",
		"rtt=40ms,up.rate=100mbit":                                            "",
	} {
		c := panelOn(t, text).Members[0]
		got, had := c.without(finding.AckLimited)
		if had != (want != "") || had && got.Path.String() != want || !had && got != c {
			t.Errorf("%s: %t, %s", text, had, got.Path)
		}
	}
}
