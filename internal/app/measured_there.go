//go:build !slim

package app

import (
	"unchoke/internal/record"
	"unchoke/internal/tune"
)

// MeasuredThere is a record of a check as its far end sees it, for a plan that is
// to be made there: up is what that host sends. What only this host knows of its
// own end, its device and tunnel, is left out.
func MeasuredThere(run *record.Run) *tune.Measured {
	m := Measured(run)
	m.Up, m.Down = m.Down, m.Up
	for _, w := range []*tune.Way{m.Up, m.Down} {
		if w == nil {
			continue
		}
		for i, p := range w.Predicted {
			w.Predicted[i].Direction = map[record.Direction]record.Direction{record.Up: record.Down, record.Down: record.Up}[p.Direction]
		}
	}
	m.Address, m.Source, m.Device = m.Source, m.Address, ""
	if run.Far.Sees != "" { // translated on the way
		m.Address = run.Far.Sees
	}
	m.Target, m.Tunnel = m.Address, ""
	if run.FarRoute != nil {
		m.Source, m.Device, m.Tunnel = run.FarRoute.Source, run.FarRoute.Device, run.FarRoute.Tunnel.Kind
	}
	return m
}
