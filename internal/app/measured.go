//go:build !slim

package app

import (
	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/tune"
)

// Measured puts a record and its diagnosis into the terms of a plan.
func Measured(run *record.Run) *tune.Measured {
	p := diagnose.MeasuredPath(run)
	m := &tune.Measured{
		Record: run.ID, Target: run.Target, Address: run.Route.Address, Source: run.Route.Source,
		Device: run.Route.Device, Tunnel: p.Tunnel.Kind, RTT: p.RTT,
	}
	findings := diagnose.Diagnose(run)
	way := func(w *diagnose.Way, d record.Direction) *tune.Way {
		if w == nil {
			return nil
		}
		out := &tune.Way{Rate: w.Rate, Capacity: w.Capacity, MTU: w.MTU, CC: senderCC(run, d), Causes: []finding.Cause{}}
		for _, p := range record.Changes(run.Predicted) {
			if p.Direction == d {
				out.Predicted = append(out.Predicted, p)
			}
		}
		for _, f := range findings {
			if f.Direction != d {
				continue
			}
			out.Causes = append(out.Causes, f.Cause)
			for _, r := range f.Remedies {
				switch {
				case r.Action == nil:
				case r.Action.Kind == finding.KindPace:
					out.Policer = r.Action.Policer()
				case r.Action.Kind == finding.KindSocketBuffer:
					out.SocketBuffer = r.Action.Bytes
				case r.Action.Kind == finding.KindWindowScaling:
					out.Unscaled = true
				}
			}
		}
		return out
	}
	m.Up, m.Down = way(p.Up, record.Up), way(p.Down, record.Down)
	return m
}

// senderCC is the congestion control of the one-stream transfer.
func senderCC(run *record.Run, d record.Direction) string {
	for _, t := range run.Transfers {
		if t.Direction == d && t.Protocol == record.TCP && t.Streams == 1 {
			return t.CC
		}
	}
	return ""
}
