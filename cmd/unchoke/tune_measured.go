package main

import (
	"errors"
	"fmt"
	"os"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/tune"
)

// measured is what is on record of the path that the user named: by a record,
// or by a target, whose newest check it is. Without a name it is the newest of
// all, and nil where there is none.
func measured(name string) (*tune.Measured, error) {
	run, err := recordFor(name)
	if err != nil || run == nil {
		return nil, err
	}
	return measuredOf(run), nil
}

func recordFor(name string) (*record.Run, error) {
	store, err := record.DefaultStore()
	if name != "" {
		if _, noFile := os.Stat(name); name == lastRecord || record.ValidID(name) || noFile == nil {
			return runOf(loadRecord(name))
		}
	}
	if err != nil {
		if name == "" {
			return nil, nil
		}
		return nil, withHint(err, "set UNCHOKE_STATE_DIR to a directory")
	}
	list, err := store.List()
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.Error == "" && r.Command == "check" && (name == "" || r.Target == name || hostOf(r.Target) == hostOf(name)) {
			return runOf(store.Load(r.ID))
		}
	}
	if name == "" {
		return nil, nil
	}
	return nil, withHint(fmt.Errorf("%w: no check of %s is saved", record.ErrNotFound, name), "unchoke check %s", name)
}

// runOf takes the record of a check, the only kind that measures a path.
func runOf(d record.Document, err error) (*record.Run, error) {
	if err != nil {
		return nil, err
	}
	run, ok := d.(*record.Run)
	if !ok {
		return nil, usage(withHint(errors.New("this record is not of a check"), "unchoke record list names each record's command"))
	}
	return run, nil
}

// measuredOf puts a record and its diagnosis into the terms of a plan.
func measuredOf(run *record.Run) *tune.Measured {
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
		out := &tune.Way{Rate: w.Rate, Capacity: w.Capacity, CC: senderCC(run, d), Causes: []tune.Cause{}}
		for _, f := range findings {
			if f.Direction != d {
				continue
			}
			out.Causes = append(out.Causes, tune.Cause(f.Cause))
			if f.Cause == diagnose.Policed {
				out.Policer = w.Capacity
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
