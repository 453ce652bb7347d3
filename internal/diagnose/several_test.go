package diagnose

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/rules"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Of the paths in testdata/several stock iperf3 gains from each of the causes in
// the name being taken away: all of them are found, each with its own evidence.
func TestSeveralCauses(t *testing.T) {
	for _, file := range diagnosetest.Glob(t, "testdata/several/*.json.gz") {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		causes, _, _ := strings.Cut(name, "--")
		t.Run(name, func(t *testing.T) {
			findings := Diagnose(load(t, file))
			for want := range strings.SplitSeq(causes, "+") {
				if !finding.Named(findings, finding.Cause(want)) {
					t.Errorf("%s is not among %d findings, the verdict is %s", want, len(findings), finding.Verdict(findings))
				}
			}
			eachOnce(t, findings)
			for _, f := range findings {
				wellFormed(t, f)
			}
		})
	}
}

// Outages throw a stream back behind a queue that drops, the further the more the path holds:
// with a window that grows back at once they cost what they last.
func TestOutagesThrowBack(t *testing.T) {
	run := load(t, "testdata/several/shallow-buffer+loss-limited--outages-that-throw-back.json.gz")
	v := view.Of(run, record.Down)
	if v.ThrownBack() < 1.5*v.Out.Share() {
		t.Errorf("thrown back for %.2f of the time, outages for %.2f", v.ThrownBack(), v.Out.Share())
	}
	v.Idle.Mid /= 100
	if f := rules.InterruptedToo(v, Diagnose(run)[:1]); f != nil {
		t.Errorf("a round trip of %g s: %s", v.Idle.Mid, f.Summary)
	}
}

// Others who send at one rate leave the queue empty before our load, so that it shows how
// short it is, three packets, beside them: behind the verdict, and as a guess.
func TestTinyQueueBesideOthers(t *testing.T) {
	all := Diagnose(load(t, "testdata/congested--udp-before-three-packets.json.gz"))
	short := findings(all, finding.ShallowBuffer)
	if finding.Verdict(all) != finding.Congested || len(short) != 1 || short[0].Confidence > share(0.5) {
		t.Errorf("the verdict is %s, beside it %+v", finding.Verdict(all), short)
	}
}

// Where UDP is held back by a queue, that queue is named behind it, and what to do about
// it touches the tunnel alone.
func TestQueueOfHeldUDP(t *testing.T) {
	all := Diagnose(load(t, "testdata/several/udp-throttled+bufferbloat--queued-in-wireguard.json.gz"))
	queues := findings(all, finding.Bufferbloat)
	if finding.Verdict(all) != finding.UDPThrottled || len(queues) != 1 || queues[0].Direction != record.Up {
		t.Fatalf("the verdict is %s, beside it %+v", finding.Verdict(all), queues)
	}
	for _, r := range queues[0].Remedies {
		if r.Where != finding.Sender || !strings.Contains(r.What, "the tunnel's device") {
			t.Errorf("%+v", r)
		}
	}
}

// Copies of a path may show that acknowledgements and both buffers cost a stream
// something beside what the rules found; without a sign of them in the record they
// are not named.
func TestSettledAddsAcksAndBuffers(t *testing.T) {
	const thin = "testdata/several/receive-window+ack-limited+bufferbloat--thin-way-back.json.gz"
	const plain = "testdata/loss-limited--wireguard-up.json.gz"
	for name, c := range map[string]struct {
		file  string
		dir   record.Direction
		tried []record.Predicted
		add   []finding.Cause
	}{
		"a buffer beside acknowledgements": {thin, record.Down, []record.Predicted{without(record.Down, 2, finding.SendBuffer)}, []finding.Cause{finding.SendBuffer}},
		"both buffers, only together": {thin, record.Down, []record.Predicted{
			without(record.Down, 1, finding.AckLimited),
			without(record.Down, 2, finding.SendBuffer, finding.ReceiveWindow),
		}, []finding.Cause{finding.SendBuffer}},
		"acknowledgements that nothing speaks for": {plain, record.Up, []record.Predicted{without(record.Up, 2, finding.AckLimited)}, nil},
		"buffers that the path does not reach":     {plain, record.Up, []record.Predicted{without(record.Up, 2, finding.ReceiveWindow)}, nil},
	} {
		run := load(t, c.file)
		before, _ := of(Diagnose(run), c.dir)
		run.Predicted = c.tried
		after, findings := of(Diagnose(run), c.dir)
		for _, cause := range append(slices.Clone(before), c.add...) {
			if !slices.Contains(after, cause) {
				t.Errorf("%s: %v, want %s among them", name, after, cause)
			}
		}
		if len(after) != len(before)+len(c.add) {
			t.Errorf("%s: %v, were %v before", name, after, before)
		}
		for _, f := range findings {
			wellFormed(t, f)
		}
	}
}

// A buffer that is full was measured: copies drop it only where they leave nothing
// of its gain.
func TestSettledKeepsAFullWindow(t *testing.T) {
	const thin = "testdata/several/receive-window+ack-limited+bufferbloat--thin-way-back.json.gz"
	for name, c := range map[string]struct {
		high float64
		kept bool
	}{"perhaps a third": {1.3, true}, "nothing": {1.1, false}} {
		run := load(t, thin)
		little := without(record.Down, 1.05, finding.ReceiveWindow)
		little.GainHigh = c.high
		run.Predicted = []record.Predicted{without(record.Down, 1.7, finding.AckLimited), little}
		after, _ := of(Diagnose(run), record.Down)
		if slices.Contains(after, finding.ReceiveWindow) != c.kept {
			t.Errorf("%s: %v", name, after)
		}
	}
}

// What gains more leads, also where the rules were surer of what gains little; and
// copies that carry far more than the stream did do not make it healthy.
func TestSettledGoesByTheCopies(t *testing.T) {
	const file = "testdata/loss-limited--wireguard-up.json.gz"
	run := load(t, file)
	run.Predicted = []record.Predicted{without(record.Up, 1.2, finding.LossLimited), without(record.Up, 3, finding.ShallowBuffer)}
	if got, _ := of(Diagnose(run), record.Up); !slices.Equal(got, []finding.Cause{finding.ShallowBuffer, finding.LossLimited}) {
		t.Errorf("%v", got)
	}
	one := view.Of(run, record.Up).Rate
	for name, c := range map[string]struct {
		now  float64
		want finding.Cause
	}{"as fast": {one, finding.Healthy}, "half as fast again": {1.5 * one, finding.LossLimited}} {
		run.Predicted = []record.Predicted{{Arm: record.Now, Direction: record.Up, Rate: c.now, Gain: 1}, without(record.Up, 1.02, finding.LossLimited)}
		if got, _ := of(Diagnose(run), record.Up); !slices.Equal(got, []finding.Cause{c.want}) {
			t.Errorf("copies %s: %v, want %s", name, got, c.want)
		}
	}
}

// A policer drops bursts, and what is resent arrives behind what was sent later: the
// sender notices packets out of order on a path where none overtakes another.
func TestOwnRetransmitsOvertakeNothing(t *testing.T) {
	all := Diagnose(load(t, "testdata/policed--retransmits-arrive-behind-in-gre.json.gz"))
	if finding.Named(all, finding.Reordering) {
		t.Errorf("reordering is among %d findings", len(all))
	}
}
