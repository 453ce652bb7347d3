package diagnose

import (
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What could be two things is said less surely, and never for a reason that the
// figures rule out.
func TestUnsure(t *testing.T) {
	for _, c := range []struct {
		file  string
		dir   record.Direction
		never finding.Cause // empty: any cause may be named
		most  float64       // confidence that a rule gives whatever is said of the direction
	}{
		{"eight-packets-at-half-a-megabit", record.Up, "", 0.92},
		{"little-lost-outside-the-tunnel", record.Down, "", 0.7},
		{"eight-streams-while-the-rate-is-down", record.Down, "", 0.6},
		{"eight-streams-while-the-rate-is-up", record.Down, "", 0.8},
		{"one-stream-while-the-rate-is-up", record.Down, "", 0.6},
		{"one-loss-beside-an-empty-queue", record.Down, "", 0.6},
		{"acknowledgements-queue-by-satellite", record.Down, finding.Healthy, 0.05},
		{"three-losses-beside-an-empty-queue", record.Up, "", 0.7},
		{"bursts-hardly-met", record.Down, "", 0.7},
		{"up-was-not-measured", record.Down, "", 0.7},
		{"rare-loss-below-a-policer", record.Up, "", 0.85},
		{"five-packets-of-queue-behind-jitter", record.Up, "", 0.7},
		{"healthy-while-udp-loses-bursts", record.Down, "", 0.6},
		{"half-of-the-packets-overtaken", record.Down, "", 0.8},
		{"half-of-the-packets-overtaken", record.Up, "", 0.8},
		{"one-flow-of-three-behind-fq-codel", record.Down, finding.Healthy, 0.8},
		{"eight-streams-acknowledged-on-a-thin-way-back", record.Down, finding.AckLimited, 0.9},
		{"a-thin-way-back-that-leaves-seven-tenths", record.Down, "", 0.88},
		{"jitter-hides-others-who-drop", record.Down, "", 0.4},
		{"at-times-an-eighth-of-the-rate", record.Down, "", 0.6},
		{"without-sack-at-297-ms", record.Up, "", 0.6},
		{"without-sack-since-slow-start", record.Up, "", 0.6},
		{"eight-streams-on-a-slow-line", record.Up, finding.Bufferbloat, 0.5},
		{"nothing-resent-behind-jitter-on-the-way-back", record.Down, finding.ShallowBuffer, 0.75},
		{"losses-at-five-packets-look-like-chance", record.Down, finding.LossLimited, 0.75},
		{"losses-at-three-packets-look-like-chance", record.Down, finding.LossLimited, 0.95},
		{"a-line-that-slows-fills-its-queue", record.Down, finding.Congested, 0.6},
		{"bursts-that-45-megabit-did-not-meet", record.Up, "", 0.85},
		{"eight-streams-lose-more-at-a-policer", record.Down, finding.Congested, 0.9},
		{"bunched-acknowledgements-at-29-packets", record.Down, finding.Congested, 0.92},
		{"eight-streams-carry-more-than-udp", record.Down, "", 0.8},
		{"eight-streams-fill-what-one-leaves", record.Up, "", 0.7},
		{"a-stream-speeds-up-beyond-what-udp-gets", record.Up, "", 0.6},
		{"a-policer-on-a-path-that-is-out-for-a-third", record.Up, "", 0.85},
		{"others-leave-most-of-the-own-shaper", record.Up, "", 0.7},
		{"its-own-cake-dropped-one-packet", record.Up, "", 0.4},
		{"bursts-that-a-stream-outside-hardly-met", record.Down, finding.UDPThrottled, 0.6},
		{"copies-gain-nothing-without-the-loss", record.Down, "", 0.4},
		{"copies-gain-nothing-without-the-buffer", record.Down, "", 0.4},
	} {
		t.Run(c.file, func(t *testing.T) {
			said := 0
			for _, f := range Diagnose(load(t, "testdata/unsure/"+c.file+".json.gz")) {
				if f.Direction != c.dir {
					continue
				}
				said++
				if f.Cause == c.never || f.Confidence > share(c.most) {
					t.Errorf("%s, %.2f sure; at most %.2f, and not %q", f.Cause, f.Confidence, c.most, c.never)
				}
			}
			if said == 0 {
				t.Error("nothing was said of the direction")
			}
		})
	}
}

// Where one stream fills a tunnel, and one outside it carried twice as much, the health of the
// path is a guess: the network may hold back the tunnel's UDP.
func TestFasterOutside(t *testing.T) {
	run := load(t, "testdata/healthy--cake-before-a-tunnel.json.gz")
	sure := func(outside float64) (most float64) {
		for _, d := range record.Directions {
			one := transfer(run, d)
			free := record.BesideTest{Protocol: record.TCP, Duration: 1.5, Delivered: outside * one.SteadyRate, Packets: 5000}
			run.Besides = []record.Beside{{Direction: d, Outside: true, Tests: []record.BesideTest{free}}}
			for _, f := range findings(Diagnose(run), finding.Healthy) {
				if f.Direction == d {
					most = max(most, f.Confidence)
				}
			}
		}
		return most
	}
	if same, faster := sure(1), sure(2.5); same < 0.9 || faster > 0.75 {
		t.Errorf("as fast outside: %v sure; faster: %v", same, faster)
	}
}
