package watched

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// The fixtures are flows of real programs on lab paths, ten seconds old, as one of
// their hosts saw them, the sender where the name says nothing else; each is named
// for its truth, found by running the path again without each of its impairments
// or the program without its limit, and for what makes it worth keeping.
func TestFixtures(t *testing.T) {
	for name, f := range fixtures(t) {
		want, _, _ := strings.Cut(name, "--")
		Judge(f)
		if string(f.Verdict) != want {
			t.Errorf("%s: %s, %.2f: %s", name, f.Verdict, f.Confidence, f.Summary)
		}
		wellFormed(t, name, f)
	}
}

func fixtures(t *testing.T) map[string]*live.Flow {
	t.Helper()
	all := map[string]*live.Flow{}
	for _, file := range diagnosetest.Glob(t, "testdata/*.json") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f := new(live.Flow)
		if err := json.Unmarshal(data, f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = f
	}
	return all
}

func wellFormed(t *testing.T, name string, f *live.Flow) {
	t.Helper()
	if f.Summary == "" || f.Verdict == "" {
		t.Errorf("%s: no verdict or no summary", name)
	}
	if f.Verdict != live.Watching && (f.Confidence <= 0 || f.Confidence >= 1 || f.Advice == "" || len(f.Evidence) == 0) {
		t.Errorf("%s: %s with confidence %v, advice %q, evidence %v", name, f.Verdict, f.Confidence, f.Advice, f.Evidence)
	}
	for _, e := range f.Evidence {
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			t.Errorf("%s: %s is %v", name, e.What, e.Value)
		}
	}
}

// A flow may lack any figure: an old kernel, a recording, one that just began.
func TestAnyFiguresAreJudged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		for name, f := range fixtures1(t) {
			for _, field := range []*float64{&f.RTT, &f.MinRTT, &f.RTTLately, &f.RTTAtLoss, &f.Jitter, &f.RateCV, &f.SentLately, &f.ReceivedLately, &f.PeakRate, &f.RetransmitRatio, &f.SpuriousRatio, &f.Age, &f.Stalled, &f.Standing} {
				switch r.IntN(4) {
				case 0:
					*field = 0
				case 1:
					*field *= math.Exp(3 * r.NormFloat64())
				}
			}
			if r.IntN(3) == 0 {
				f.SegmentSize, f.SegmentsLately, f.CC, f.Remote = 0, 0, "", netip.AddrPort{}
			}
			Judge(f)
			wellFormed(t, name, f)
		}
	}
}

// fixtures1 is one fixture, another each time.
func fixtures1(t *testing.T) map[string]*live.Flow {
	t.Helper()
	if kept == nil {
		kept = fixtures(t)
	}
	for name, f := range kept {
		g := *f
		return map[string]*live.Flow{name: &g}
	}
	return nil
}

var kept map[string]*live.Flow

// steady is a flow that fills its path.
func steady() *live.Flow {
	return &live.Flow{
		CC: "cubic", Age: 20, Whole: true, SegmentSize: 1448,
		Local: netip.MustParseAddrPort("10.0.0.1:443"), Remote: netip.MustParseAddrPort("192.0.2.7:40000"),
		SentRate: 20e6, SentLately: 20e6, PeakRate: 20.2e6, RateCV: 0.01, Sent: 50e6,
		RTT: 0.03, RTTLately: 0.03, MinRTT: 0.02, SegmentsLately: 34000, Segments: 34000,
		Cwnd: 52, Unacked: 52, NotSent: 100e3, Limits: live.Limits{Network: 1},
	}
}

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*live.Flow)
		want   finding.Cause
	}{
		"fills its path":             {func(*live.Flow) {}, finding.Healthy},
		"just begun":                 {func(f *live.Flow) { f.Age = 2 }, live.Watching},
		"few segments":               {func(f *live.Flow) { f.SegmentsLately, f.SentLately = 12, 1e3 }, live.Watching},
		"idle":                       {func(f *live.Flow) { f.SentLately, f.SentRate, f.Unacked, f.Idle = 0, 0, 0, 9 }, live.Watching},
		"program idles":              {func(f *live.Flow) { f.Limits = live.Limits{App: 0.8, Network: 0.2} }, finding.AppLimited},
		"program idles, a queue too": {func(f *live.Flow) { f.Limits = live.Limits{App: 0.4, Network: 0.6} }, finding.AppLimited},
		"reader is slow":             {func(f *live.Flow) { f.Limits = live.Limits{ReceiveWindow: 0.9} }, finding.ReceiveWindow},
		"reader stopped just now": {func(f *live.Flow) {
			f.Limits = live.Limits{ReceiveWindow: 0.2}
			f.Unacked, f.RateCV = 0, 0.5
			f.PeakRate = 40e6
		}, finding.ReceiveWindow},
		"send buffer, empty queue":  {func(f *live.Flow) { f.Limits = live.Limits{SendBuffer: 0.9}; f.RTTLately = 0.0205 }, finding.SendBuffer},
		"send buffer, path full":    {func(f *live.Flow) { f.Limits = live.Limits{SendBuffer: 0.9} }, finding.Healthy},
		"long queue":                {func(f *live.Flow) { f.RTTLately = 0.2 }, finding.Bufferbloat},
		"long queue of a long path": {func(f *live.Flow) { f.MinRTT, f.RTTLately = 0.3, 0.42 }, finding.Healthy},
		"others come and go":        {func(f *live.Flow) { f.RateCV, f.PeakRate = 0.4, 35e6 }, finding.Congested},
		"far host gone": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Stalled, f.Standing, f.Timeouts, f.TimeoutsLately = 0, 1e6, 6, 6, 4, 4
		}, finding.Unclear},
		"full segments vanish": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Sent, f.Stalled, f.Standing, f.Timeouts, f.SegmentsLately = 0, 0, 37, 6, 6, 4, 14
		}, finding.MTUBlackhole},
		"full segments vanish, all are sent": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Sent, f.Stalled, f.Standing, f.Timeouts, f.SegmentsLately = 0, 0, 37, 6, 6, 4, 14
			f.Unacked, f.UnackedBytes, f.NotSent = 3, 2946, 0
		}, finding.MTUBlackhole},
		"one full segment of a client vanishes": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Sent, f.Stalled, f.Standing, f.Timeouts, f.SegmentsLately = 0, 0, 1, 6, 6, 4, 5
			f.Unacked, f.UnackedBytes, f.NotSent = 1, 1447, 0
		}, finding.MTUBlackhole},
		"a peer gone with a small segment under way": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Sent, f.Stalled, f.Standing, f.Timeouts, f.SegmentsLately = 0, 0, 600, 12, 12, 4, 9
			f.Unacked, f.UnackedBytes, f.NotSent = 1, 90, 0
		}, finding.Unclear},
		"a peer gone, and more was to be sent since": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Sent, f.Stalled, f.Standing, f.Timeouts, f.SegmentsLately = 0, 0, 600, 12, 12, 4, 9
			f.Unacked, f.UnackedBytes, f.NotSent = 1, 90, 20e3
		}, finding.Unclear},
		"a scanner gone after the handshake": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Sent, f.Stalled, f.Standing, f.Timeouts, f.SegmentsLately = 0, 0, 0, 12, 12, 4, 5
			f.Unacked, f.UnackedBytes, f.NotSent = 1, 42, 0
		}, finding.Unclear},
		"a kernel that does not tell what is under way": {func(f *live.Flow) {
			f.SentRate, f.SentLately, f.Sent, f.Stalled, f.Standing, f.Timeouts, f.SegmentsLately = 0, 0, 600, 12, 12, 4, 9
			f.Unacked, f.NotSent = 1, 0
		}, finding.Unclear},
		"still for a third of the time": {func(f *live.Flow) { f.Stalled, f.Timeouts, f.TimeoutsLately = 7, 6, 6 }, finding.LossLimited},
		"still for a fifth":             {func(f *live.Flow) { f.Stalled, f.Timeouts, f.TimeoutsLately = 4, 6, 6 }, finding.Healthy},
		"early out of slow start": {func(f *live.Flow) {
			f.RTTLately, f.Ssthresh, f.RateCV, f.Growth, f.PeakRate = 0.0201, 40, 0.3, 0.2, 30e6
		}, finding.SlowStart},
		"told the kernel its rate":           {func(f *live.Flow) { f.RTTLately, f.MaxPacing = 0.0201, 21e6 }, finding.AppLimited},
		"its path is narrower than it asked": {func(f *live.Flow) { f.MaxPacing = 40e6 }, finding.Healthy},
		"runs dry between its losses": {func(f *live.Flow) {
			f.RetransmitRatio, f.Lossy, f.RateCV, f.PeakRate, f.RTTLately = 0.002, 8, 0.3, 30e6, 0.0201
			f.Closely = live.Closely{Looks: 500, Dries: 5, DrySpan: 12}
		}, finding.AppLimited},
		"runs dry behind a queue that stands": {func(f *live.Flow) {
			f.RTTLately, f.Closely = 0.2, live.Closely{Looks: 500, Dries: 30, DrySpan: 15}
		}, finding.Bufferbloat},
		"ran dry for a moment": {func(f *live.Flow) { f.Closely = live.Closely{Looks: 500, Dries: 5, DrySpan: 4} }, finding.Healthy},
		"a rate that only seems to move": {func(f *live.Flow) {
			f.RateCV, f.PeakRate, f.PeakDelivery = 0.2, 30e6, 20.5e6
		}, finding.Healthy},
		"the queue is others' as well": {func(f *live.Flow) {
			f.RateCV, f.Closely = 0.05, live.Closely{Looks: 500, Queue: live.Queue{Looks: 480, Sway: 0.09, Own: 0.5}}
		}, finding.Congested},
		"the queue moves with the jitter": {func(f *live.Flow) {
			f.RateCV, f.JitterRatio, f.Closely = 0.05, 0.1, live.Closely{Looks: 500, Queue: live.Queue{Looks: 480, Sway: 0.09, Own: 0.5}}
		}, finding.Healthy},
		"alone, and the rate moves": {func(f *live.Flow) {
			f.RateCV, f.PeakRate, f.Closely = 0.2, 30e6, live.Closely{Looks: 500, Queue: live.Queue{Looks: 480, Sway: 0.09, Own: 0.97}}
		}, finding.Healthy},
		"its window stands, empty queue": {func(f *live.Flow) { f.RTTLately, f.Ssthresh, f.Cwnd = 0.0201, 51, 52 }, finding.Healthy},
		"its window grew, empty queue":   {func(f *live.Flow) { f.RTTLately, f.Ssthresh, f.Cwnd, f.Unacked = 0.0201, 40, 500, 500 }, finding.Unclear},
		"bbr on a lossy path":            {func(f *live.Flow) { f.CC, f.RTTLately, f.RetransmitRatio, f.Lossy = "bbr", 0.0205, 0.01, 20 }, finding.Healthy},
		"bbr, uneven": {func(f *live.Flow) {
			f.CC, f.RTTLately, f.RetransmitRatio, f.Lossy, f.RateCV, f.PeakRate = "bbr", 0.0205, 0.01, 20, 0.4, 40e6
		}, finding.Unclear},
	} {
		f := steady()
		c.change(f)
		Judge(f)
		if f.Verdict != c.want {
			t.Errorf("%s: %s, %.2f: %s", name, f.Verdict, f.Confidence, f.Summary)
		}
		wellFormed(t, name, f)
	}
}

// From the receiving side only this host's own program is known.
func TestReceivingSide(t *testing.T) {
	f := &live.Flow{Age: 20, ReceivedLately: 10e6, ReceivedRate: 10e6, SegmentSize: 1448, RecvWindow: 60e3, RecvQueue: 2e3}
	Judge(f)
	if f.Verdict != live.Watching || f.Advice == "" {
		t.Errorf("%+v", f)
	}
	f.RecvQueue = 300e3
	if Judge(f); f.Verdict != finding.ReceiveWindow {
		t.Errorf("a full queue: %s", f.Verdict)
	}
}

// A reader that stops leaves a full buffer: the window that is left is none, and in the
// end nothing moves.
func TestReaderStops(t *testing.T) {
	moving := live.Flow{Age: 20, ReceivedLately: 10e6, SegmentSize: 1448, RecvQueue: 6e6, RecvShut: true}
	for name, c := range map[string]struct {
		change func(*live.Flow)
		want   finding.Cause
	}{
		"full now":                  {func(*live.Flow) {}, finding.ReceiveWindow},
		"nothing moves":             {func(f *live.Flow) { f.ReceivedLately, f.Idle = 0, 40 }, finding.ReceiveWindow},
		"nothing moves, seen close": {func(f *live.Flow) { f.ReceivedLately, f.Idle, f.Closely.Looks = 0, 40, 500 }, finding.ReceiveWindow},
		"one long pause": {func(f *live.Flow) {
			f.RecvShut, f.RecvWindow, f.RecvQueue = false, 3e6, 0
			f.Closely = live.Closely{Looks: 500, Shut: 0.6, Shuts: 1}
		}, finding.ReceiveWindow},
		"a short pause": {func(f *live.Flow) {
			f.Closely = live.Closely{Looks: 500, Shut: 0.1, Shuts: 1, Unread: 0.1}
		}, live.Watching},
		"a window that is not known": {func(f *live.Flow) { f.RecvShut = false }, live.Watching},
		"hardly anything waits":      {func(f *live.Flow) { f.RecvQueue = 2000 }, live.Watching},
		"nothing moves, all is read": {func(f *live.Flow) { f.ReceivedLately, f.Idle, f.RecvQueue, f.RecvShut = 0, 40, 0, false }, live.Watching},
	} {
		f := moving
		c.change(&f)
		if Judge(&f); f.Verdict != c.want {
			t.Errorf("%s: %s, %.2f: %s", name, f.Verdict, f.Confidence, f.Summary)
		}
		if f.Verdict != finding.ReceiveWindow {
			continue
		}
		wellFormed(t, name, &f)
		if r := Remedies(&f); len(r) != 1 || r[0].Host != "near" || r[0].Where != finding.Receiver {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What came out of order is a hole only while something stands behind it: a segment
// that came late, long ago, makes none of an idle connection.
func TestHole(t *testing.T) {
	idle := live.Flow{Age: 700, Idle: 600, Received: 900, OutOfOrder: 1, SegmentSize: 1448}
	for name, c := range map[string]struct {
		queue, memory uint32
		want          finding.Cause
	}{
		"put in order and read":     {0, 0, live.Watching},
		"put in order and not read": {900, 2304, live.Watching},
		"stands behind a hole":      {0, 2304, finding.MTUBlackhole},
	} {
		f := idle
		f.RecvQueue, f.RecvMemory = c.queue, c.memory
		if Judge(&f); f.Verdict != c.want {
			t.Errorf("%s: %s, %.2f: %s", name, f.Verdict, f.Confidence, f.Summary)
		}
	}
}

// Each of these is told by the headers of packets alone: without them the same flow is
// something else.
func TestHeadersTell(t *testing.T) {
	for name, f := range fixtures(t) {
		if f.Closely.Packets.Arrivals == 0 {
			continue
		}
		Judge(f)
		with := f.Verdict
		f.Closely.Packets = live.Packets{}
		if Judge(f); f.Verdict == with {
			t.Errorf("%s: %s, with the headers as without", name, with)
		}
	}
}

// Packets that wait for longer than the stream's own explain are others' doing, unless
// the stream loses when most of its own is on its way: then the line is slower at times.
func TestSlowerAtTimes(t *testing.T) {
	f := fixtures(t)["policed--bursts-empty-a-bucket-of-35-kib"]
	p := &f.Closely.Packets
	p.Foreign, p.Waited, p.Filled = 0.6, 0.97, 0.5
	if Judge(f); f.Verdict != finding.Congested {
		t.Errorf("others' packets: %s", f.Verdict)
	}
	p.Filled = 0.99
	if Judge(f); f.Verdict == finding.Congested {
		t.Errorf("its own: %s", f.Verdict)
	}
}

// A sender that runs BBR already, one on a clean path and one that a program, a
// window or other traffic holds back is never told to switch to BBR.
func TestNoBBRWhereItDoesNotHelp(t *testing.T) {
	for name, f := range fixtures(t) {
		g := *f
		g.CC = "bbr"
		Judge(&g)
		if strings.HasPrefix(g.Advice, "bbr") || strings.Contains(g.Next, "--cc bbr") {
			t.Errorf("%s with bbr: %s; %s", name, g.Advice, g.Next)
		}
		Judge(f)
		if f.Verdict != finding.LossLimited && f.Verdict != finding.Reordering && f.Verdict != finding.Bufferbloat &&
			(strings.HasPrefix(f.Advice, "bbr") || strings.Contains(f.Next, "--cc bbr")) {
			t.Errorf("%s: %s: %s; %s", name, f.Verdict, f.Advice, f.Next)
		}
	}
}

func TestAdvice(t *testing.T) {
	all := fixtures(t)
	for name, want := range map[string]string{
		"loss-limited--rare":            "bbr: ×",
		"reordering--beyond-the-cliff":  "bbr: more expected past the jitter cliff",
		"reordering--one-way":           "measure both: with jitter of 2",
		"healthy--own-shaper":           "leave it",
		"send-buffer--bursts":           "leave the algorithm",
		"shallow-buffer--forty-packets": "measure",
	} {
		f := all[name]
		Judge(f)
		if !strings.HasPrefix(f.Advice, want) {
			t.Errorf("%s: %q, want %q…", name, f.Advice, want)
		}
	}
	for remote, want := range map[string]string{
		"[fd00::2]:5201":       "unchoke tune live 'dst [fd00::2]:5201 and sport = 443' --cc bbr",
		"[::ffff:10.0.0.2]:80": "unchoke tune live 'dst 10.0.0.2:80 and sport = 443' --cc bbr",
	} {
		f := all["loss-limited--rare"]
		f.Remote, f.Local = netip.MustParseAddrPort(remote), netip.MustParseAddrPort("[::1]:443")
		if Judge(f); f.Next != want {
			t.Errorf("next: %s, want %s", f.Next, want)
		}
	}
}

// A command that measures towards the remote host needs a server there, and the
// advice says so.
func TestAdviceNamesTheServer(t *testing.T) {
	flows := fixtures(t)
	flows["watching"] = &live.Flow{Age: 20, ReceivedLately: 10e6, ReceivedRate: 10e6, SegmentSize: 1448, RecvWindow: 60e3, RecvQueue: 2e3, Remote: netip.MustParseAddrPort("192.0.2.1:443")}
	verbs := map[string]bool{}
	for name, f := range flows {
		Judge(f)
		words := strings.Fields(f.Next)
		towards := len(words) > 2 && (words[1] == "ab" || words[1] == "check") && words[2] == f.Remote.Addr().Unmap().String()
		if towards {
			verbs[words[1]] = true
		}
		if told := strings.Contains(f.Advice, "iperf3 -s"); told != towards {
			t.Errorf("%s: %s; next: %s", name, f.Advice, f.Next)
		}
	}
	if !verbs["ab"] || !verbs["check"] {
		t.Errorf("of both verbs only %v", verbs)
	}
}

// Where round trips are shorter than looks are apart, nobody knows how much was under
// way before a loss: nothing is concluded from none.
func TestFlightUnknown(t *testing.T) {
	data, err := os.ReadFile("testdata/unsure/eight-packets-at-three-milliseconds.json")
	if err != nil {
		t.Fatal(err)
	}
	f := new(live.Flow)
	if err := json.Unmarshal(data, f); err != nil {
		t.Fatal(err)
	}
	Judge(f)
	if f.Verdict != finding.Unclear || f.Confidence > 0.5 || strings.Contains(f.Summary, " -") {
		t.Errorf("%s, %.2f: %s", f.Verdict, f.Confidence, f.Summary)
	}
}

// A healthy stream that stood still for a moment is one whose user saw it stop.
func TestStillForAMoment(t *testing.T) {
	f := steady()
	Judge(f)
	sure := f.Confidence
	f.Stalled, f.Timeouts, f.TimeoutsLately = 2, 3, 3
	Judge(f)
	if f.Verdict != finding.Healthy || f.Confidence >= sure || !strings.Contains(f.Summary, "For 2.00 s of the last 20.0 s nothing arrived") {
		t.Errorf("%s, %.2f: %s", f.Verdict, f.Confidence, f.Summary)
	}
}
