package diagnose

import (
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// What was not measured is no zero: without it nothing is said more surely, and what
// contradicts it is not said at all.
func TestUnmeasured(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		change func(*record.Run)
		dir    record.Direction
		never  []finding.Cause // surely
		says   finding.Cause   // empty: any other
	}{
		"a sender that tells no losses, beside UDP's": {
			"loss-limited--few-packets-in-a-rung", untold, record.Down, []finding.Cause{finding.SendBuffer}, "",
		},
		"a sender that tells no losses: nothing but its own start": {
			"shallow-buffer--five-packets-in-front-of-90-mbit", untold, record.Down, []finding.Cause{finding.Healthy}, "",
		},
		"no probe is answered: a queue that keeps flows apart": {
			"no-sack--where-the-far-host-sends", unanswered, record.Down, []finding.Cause{finding.ShallowBuffer}, "",
		},
		"no probe is answered: a share for each flow": {
			"loss-limited--chance-on-a-line-of-two-rates", unanswered, record.Down, []finding.Cause{finding.Congested}, "",
		},
		"no probe is answered: nobody else is there": {
			"congested--udp-at-one-rate", unanswered, record.Down, []finding.Cause{finding.Healthy}, "",
		},
		"no probe is answered: no queue but a random loss": {
			"congested--one-cubic-both-ways", unanswered, record.Up, []finding.Cause{finding.LossLimited}, "",
		},
		"no probe is answered: a buffer of nothing": {
			"receive-window--near", func(r *record.Run) { unanswered(r); samples(r, func(i *tcpinfo.Info) { i.RcvWnd = 0 }) },
			record.Down,
			[]finding.Cause{finding.SendBuffer},
			"",
		},
		"one probe of five is answered, and nothing else was measured": {
			"healthy--four-packets-of-queue", func(r *record.Run) { alone(r); r.Predicted = nil; onlyEach(5)(r) },
			record.Down,
			[]finding.Cause{finding.LossLimited},
			"",
		},
		"a kernel that does not tell its window": {
			"receive-window--near", func(r *record.Run) { fromSystem(t, r, tcpinfo.Linux, 232) },
			record.Down,
			[]finding.Cause{finding.SendBuffer},
			finding.ReceiveWindow,
		},
		"the same without window scaling": {
			"receive-window--no-scaling-at-288-ms", func(r *record.Run) { fromSystem(t, r, tcpinfo.Linux, 232) },
			record.Down,
			[]finding.Cause{finding.SendBuffer},
			finding.ReceiveWindow,
		},
		"a ladder of which nothing arrived": {
			"loss-limited--wireguard-up", nothingArrived, record.Up, []finding.Cause{finding.Healthy}, finding.Unclear,
		},
		"a socket's drops while the stream lost nothing": {
			"receive-window--near", func(r *record.Run) {
				r.Route.Tunnel = record.Tunnel{Kind: "tailscale", Carrier: record.Userspace}
				withDrops(r, record.SocketDrops{Program: "tailscaled", Role: record.TunnelProgram, Local: "0.0.0.0:41641", Drops: 3, Buffer: 212992})
			}, record.Down, []finding.Cause{finding.SocketDrops}, finding.ReceiveWindow,
		},
		"a BBR sender's own ssthresh": {
			"shallow-buffer--forty-packets", drained, record.Up, []finding.Cause{finding.SlowStart}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := load(t, "testdata/"+c.file+".json.gz")
			c.change(run)
			lead := true
			for _, f := range Diagnose(run) {
				if f.Direction != c.dir {
					continue
				}
				for _, never := range c.never {
					if f.Cause == never && f.Confidence > 0.85 {
						t.Errorf("%s with confidence %v: %s", f.Cause, f.Confidence, f.Summary)
					}
				}
				if lead && c.says != "" && f.Cause != c.says {
					t.Errorf("%s instead of %s: %s", f.Cause, c.says, f.Summary)
				}
				lead = false
			}
			if lead {
				t.Error("nothing is said")
			}
		})
	}
}

// untold leaves out what far hosts told of their losses and of how they send.
func untold(r *record.Run) {
	r.FarHost, r.Predicted = nil, nil
	each(r, func(x *record.Transfer) {
		if x.Direction == record.Down && x.Protocol == record.TCP {
			x.Retransmits, x.CC = -1, ""
			x.Far, x.FarSide, x.Packets = nil, nil, nil
		}
	})
	for i := range r.Besides {
		if r.Besides[i].Direction != record.Down {
			continue
		}
		for k := range r.Besides[i].Tests {
			if x := &r.Besides[i].Tests[k]; x.Protocol == record.TCP {
				x.Lost = -1
			}
		}
	}
}

// onlyEach leaves each nth echo probe its answer; 0 leaves none.
func onlyEach(n int) func(*record.Run) {
	return func(r *record.Run) {
		for i := range r.Echoes {
			for k := range r.Echoes[i].Probes {
				if p := &r.Echoes[i].Probes[k]; n == 0 || k%n > 0 {
					p.RTT, p.Order = 0, 0
				}
			}
		}
	}
}

func unanswered(r *record.Run) {
	onlyEach(0)(r)
	r.PacketSizes, r.Predicted = nil, nil
}

// samples changes each look at a stream.
func samples(r *record.Run, do func(*tcpinfo.Info)) {
	each(r, func(x *record.Transfer) {
		for k := range x.Series {
			for n := range x.Series[k].Samples {
				do(&x.Series[k].Samples[n].Info)
			}
		}
	})
}

// fromSystem is what this host would have told with another system.
func fromSystem(t *testing.T, r *record.Run, system tcpinfo.System, length int) {
	r.Predicted = nil
	samples(r, func(i *tcpinfo.Info) { *i = as(t, system, length, *i) })
	each(r, func(x *record.Transfer) { x.FarSide, x.Packets = nil, nil })
}

// nothingArrived of any UDP, and no eight streams ran.
func nothingArrived(r *record.Run) {
	var kept []record.Transfer
	for _, x := range r.Transfers {
		if x.Streams > 1 {
			continue
		}
		if x.UDP != nil {
			u := *x.UDP
			u.Lost, u.Delivered, u.Delay, u.LossRuns, u.Slots, u.Reordered = u.Packets, 0, nil, nil, nil, -1
			x.UDP, x.Rate = &u, 0
		}
		kept = append(kept, x)
	}
	r.Transfers, r.Arrivals, r.Besides, r.Predicted = kept, nil, nil, nil
}

// drained is a BBR sender's upload that resent nothing: Linux's BBR sets ssthresh itself
// when it has filled the path (bbr_check_drain).
func drained(r *record.Run) {
	r.Predicted = nil
	each(r, func(x *record.Transfer) {
		x.CC, x.Packets = "bbr", nil
		if x.Direction != record.Up || x.Streams != 1 || x.UDP != nil {
			return
		}
		x.Retransmits = 0
		for k := range x.Series {
			for n := range x.Series[k].Samples {
				s := &x.Series[k].Samples[n]
				s.Info.TotalRetrans, s.Info.DSACKDups, s.Info.ReordSeen, s.Info.BytesRetrans = 0, 0, 0, 0
				s.Info.SndSsthresh = tcpinfo.InfiniteSsthresh
				if s.At > 1 {
					s.Info.SndSsthresh = 90
				}
			}
		}
	})
}
