package watched

import (
	"net/netip"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// Every fault that a flow may have has a remedy on the host that it belongs to,
// from either side, and BBR is not offered to a sender that has it.
func TestRemedies(t *testing.T) {
	for _, cause := range []finding.Cause{
		finding.LossLimited, finding.Reordering, finding.Policed, finding.Bufferbloat, finding.SendBuffer, finding.ReceiveWindow,
		finding.AppLimited, finding.MTUBlackhole, finding.ShallowBuffer, finding.Congested, finding.SlowStart, finding.NoSACK,
	} {
		for _, cc := range []string{"cubic", "bbr"} {
			f := &live.Flow{
				Verdict: cause, CC: cc, SentLately: 1e7, SendWindow: 1 << 20, SegmentSize: 1448,
				Local: netip.MustParseAddrPort("10.0.0.1:443"), Remote: netip.MustParseAddrPort("[::ffff:10.0.0.2]:50000"),
			}
			remedies := Remedies(f)
			if len(remedies) == 0 {
				t.Errorf("%s with %s: no remedy", cause, cc)
			}
			for _, r := range remedies {
				if r.What == "" || r.Where == "" || r.Host == "" && r.Where != finding.Network {
					t.Errorf("%s: %+v", cause, r)
				}
				if r.Host != "" && (r.Host == "near") != (r.Where == finding.Sender) {
					t.Errorf("%s: %s on the %s host of a flow that this host sends", cause, r.Where, r.Host)
				}
				if cc == "bbr" && strings.Contains(r.Command, "bbr") {
					t.Errorf("%s: %s for a sender that has it", cause, r.Command)
				}
				if strings.Contains(r.Command, "unchoke") && !strings.Contains(r.Command, "'dst 10.0.0.2:50000 and sport = 443'") {
					t.Errorf("%s: %s picks another connection", cause, r.Command)
				}
			}
		}
	}
	reads := Remedies(&live.Flow{Verdict: finding.ReceiveWindow, ReceivedLately: 1e7})
	if len(reads) != 1 || reads[0].Host != "near" || reads[0].Where != finding.Receiver {
		t.Errorf("a program of this host that reads slowly: %+v", reads)
	}
	if Remedies(&live.Flow{Verdict: finding.Healthy}) != nil {
		t.Error("a healthy flow has a remedy")
	}
}

// loses is a flow that loses half a percent while no queue stands.
func loses() *live.Flow {
	return &live.Flow{
		CC: "cubic", Age: 10, SentLately: 9e6, PeakRate: 12e6, RateCV: 0.2, Sent: 1e7, SentRate: 9e6,
		RTTLately: 0.0215, MinRTT: 0.021, RTTAtLoss: 0.0215, RetransmitRatio: 0.005, SegmentsLately: 8000, Segments: 8000, Retransmits: 40,
		Lossy: 10, Cwnd: 20, Unacked: 20, Ssthresh: 14, SegmentSize: 1448, Limits: live.Limits{Network: 1},
	}
}

// Whether losses come by chance or at what fits decides between three causes
// whose other traces are the same.
func TestLossesFromClose(t *testing.T) {
	for _, c := range []struct {
		name   string
		losses live.Losses
		want   finding.Cause
	}{
		{"by chance", live.Losses{N: 33, Flight: 20, FlightCV: 0.34, RTT: 0.0215}, finding.LossLimited},
		{"at what fits, no queue", live.Losses{N: 33, Flight: 20, FlightCV: 0.02, RTT: 0.0215}, finding.Policed},
		{"over a queue that keeps the path full", live.Losses{N: 33, Flight: 24, FlightCV: 0.02, RTT: 0.029}, finding.Healthy},
		{"over a queue that does not", live.Losses{N: 33, Flight: 40, FlightCV: 0.02, RTT: 0.029}, finding.ShallowBuffer},
	} {
		f := loses()
		f.Closely = live.Closely{Looks: 500, Losses: c.losses, Typical: 9e6, Step: 0.15, Steady: true}
		Judge(f)
		if f.Verdict != c.want {
			t.Errorf("%s: %s, %.2f: %s", c.name, f.Verdict, f.Confidence, f.Summary)
		}
		wellFormed(t, c.name, f)
	}
}

// A window that shuts again and again limits, however short it is shut.
func TestShutsFromClose(t *testing.T) {
	f := loses()
	f.Closely = live.Closely{Looks: 500, Shut: 0.1, Shuts: 8}
	Judge(f)
	if f.Verdict != finding.ReceiveWindow {
		t.Errorf("%s: %s", f.Verdict, f.Summary)
	}
	f = loses()
	f.Closely = live.Closely{Looks: 500, Shut: 0.1, Shuts: 1}
	Judge(f)
	if f.Verdict == finding.ReceiveWindow {
		t.Errorf("once: %s", f.Summary)
	}
}
