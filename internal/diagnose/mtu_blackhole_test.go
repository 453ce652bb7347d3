package diagnose

import (
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

const (
	holeUp      = "testdata/mtu-blackhole--up-only.json.gz"
	holeInWG    = "testdata/mtu-blackhole--in-wireguard.json.gz"
	holeFarAway = "testdata/mtu-blackhole--both-ways-far-away.json.gz"
)

func blackholes(t *testing.T, r *record.Run) map[record.Direction]finding.Finding {
	t.Helper()
	out := map[record.Direction]finding.Finding{}
	for _, f := range Diagnose(r) {
		if f.Cause == finding.MTUBlackhole {
			out[f.Direction] = f
		}
	}
	return out
}

// The finding names the direction, the size and what it would take, as a number.
func TestMTUBlackhole(t *testing.T) {
	for file, want := range map[string]struct {
		up, down bool
		words    string
		action   finding.Action
	}{
		holeUp:      {true, false, "more than 1280 bytes", finding.LimitRoute(1280)},
		holeFarAway: {true, true, "more than 1400 bytes", finding.LimitRoute(1400)},
		holeInWG:    {true, true, "Outside the tunnel, packets of up to 1400 bytes", finding.LimitDevice(1328)},
	} {
		found := blackholes(t, load(t, file))
		for d, has := range map[record.Direction]bool{record.Up: want.up, record.Down: want.down} {
			f, is := found[d]
			if is != has {
				t.Errorf("%s: %s found %v, want %v", file, d, is, has)
				continue
			}
			if is && (!strings.Contains(f.Summary, want.words) || f.Remedies[0].Action == nil || *f.Remedies[0].Action != want.action || f.Remedies[0].Host != "near") {
				t.Errorf("%s: %s: %q, first remedy %+v", file, d, f.Summary, f.Remedies[0])
			}
		}
	}
}

// A stream that stands still is no black hole by itself: streams side by side
// say whether size matters, and without them only echoes do, less surely.
func TestStandingStillIsNoBlackhole(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Run)
		want   finding.Cause
		most   float64 // confidence
	}{
		"full segments arrive side by side": {func(r *record.Run) {
			for i := range r.SegmentTests[0].Streams {
				r.SegmentTests[0].Streams[i].Bytes = 1e5
			}
		}, finding.Unclear, 0.6},
		"no size arrives": {func(r *record.Run) {
			for i := range r.SegmentTests[0].Streams {
				r.SegmentTests[0].Streams[i].Bytes = 0
			}
		}, finding.Unclear, 0.6},
		"echoes alone": {func(r *record.Run) { r.SegmentTests = nil }, finding.MTUBlackhole, 0.8},
		"nothing but the stream": {func(r *record.Run) {
			r.SegmentTests, r.PacketSizes = nil, nil
		}, finding.Unclear, 0.6},
		"a router says that it is too big": {func(r *record.Run) {
			r.SegmentTests = nil
			for i := range r.PacketSizes[0].Sizes {
				r.PacketSizes[0].Sizes[i].TooBig = 1
			}
		}, finding.Unclear, 0.6},
	} {
		run := load(t, holeUp)
		run.SegmentTests = append([]record.SegmentTest(nil), run.SegmentTests...)
		run.SegmentTests[0].Streams = append([]record.SegmentStream(nil), run.SegmentTests[0].Streams...)
		run.PacketSizes = append([]record.PacketSizes(nil), run.PacketSizes...)
		run.PacketSizes[0].Sizes = append([]record.SizeSeen(nil), run.PacketSizes[0].Sizes...)
		c.change(run)
		var kept []record.Transfer
		for _, tr := range run.Transfers { // what ran with smaller segments was not run then
			if tr.MSS == 0 && (tr.Direction == record.Down || tr.Protocol == record.TCP) {
				kept = append(kept, tr)
			}
		}
		run.Transfers = kept
		found := Diagnose(run)
		if got := finding.Verdict(found); got != c.want || found[0].Confidence > share(c.most) {
			t.Errorf("%s: %s, %.2f; want %s, at most %.2f", name, got, found[0].Confidence, c.want, c.most)
		}
	}
}

// The measured path has the hole: no stream, and yet what UDP carried.
func TestMeasuredHole(t *testing.T) {
	for _, file := range []string{holeUp, holeFarAway, holeInWG} {
		p := MeasuredPath(load(t, file))
		if p.Up.MTU == 0 || p.Up.Rate > 1000 || p.Up.Capacity < 1e6 {
			t.Errorf("%s: up %+v", file, p.Up)
		}
	}
}
