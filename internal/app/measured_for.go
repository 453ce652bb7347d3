//go:build !slim

package app

import (
	"errors"

	"unchoke/internal/record"
	"unchoke/internal/remote"
	"unchoke/internal/state"
	"unchoke/internal/tune"
)

// MeasuredFor is what a plan for a far host is made from, as that host sees the
// path: the record that name names, or without a name this user's newest check of
// the host, by ssh:// or by its name. nil is no check.
func MeasuredFor(name, far string) (*tune.Measured, error) {
	run, err := checkOf(name, far)
	if err != nil || run == nil {
		return nil, err
	}
	return MeasuredThere(run), nil
}

func checkOf(name, far string) (*record.Run, error) {
	if name != "" {
		return CheckFor(name)
	}
	if _, err := state.DefaultStore(); err != nil {
		return nil, nil // as a plan for this host does without
	}
	names := []string{far}
	if t, err := remote.ParseTarget(far); err == nil {
		if !isRecord(t.Host) { // or it would be taken for a record
			names = append(names, t.Host)
		}
	}
	for _, n := range names {
		run, err := CheckFor(n)
		if !errors.Is(err, state.ErrNotFound) {
			return run, err
		}
	}
	return nil, nil
}
