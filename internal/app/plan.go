//go:build !slim

package app

import (
	"errors"
	"runtime"

	"unchoke/internal/hint"
	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/host"
	"unchoke/internal/tune/survey"
)

// PlanRequest asks what is worth changing on a host.
type PlanRequest struct {
	// For names the path by a record or a target; empty for the newest check,
	// if there is one.
	For string
	// Root is the directory of a mounted image; empty for this host.
	Root    string
	Options tune.Options
}

// Plan surveys this host, or the image, and decides. It changes nothing.
func Plan(q PlanRequest) (tune.Facts, tune.Plan, error) {
	facts, m, err := planned(q.For, q.Root)
	if err != nil {
		return facts, tune.Plan{}, err
	}
	return decide(facts, m, q.Options)
}

// PlanFor plans for this host and a path that was measured elsewhere; nil is none.
func PlanFor(m *tune.Measured, o tune.Options) (tune.Facts, tune.Plan, error) {
	facts, err := surveyed("")
	if err != nil {
		return facts, tune.Plan{}, err
	}
	return decide(facts, m, o)
}

// PlanAgain plans for this host from what an earlier plan was made from. Where the
// host has not changed since, it is the same plan.
func PlanAgain(earlier tune.Plan) (tune.Facts, tune.Plan, error) {
	return PlanFor(earlier.For, earlier.Options())
}

func decide(facts tune.Facts, m *tune.Measured, o tune.Options) (tune.Facts, tune.Plan, error) {
	p, err := tune.Make(&facts, m, o)
	switch {
	case errors.Is(err, tune.ErrNoSuchRoute):
		err = hint.With(err, "ip route show table all has the routes")
	case errors.Is(err, tune.ErrNoSuchDevice):
		err = hint.With(err, "ip link has the devices")
	}
	return facts, p, err
}

// Explain looks for what keeps an algorithm from acting on this host, or on
// the image in root, for the path that forPath names as in a PlanRequest.
func Explain(forPath, root, algorithm string) (tune.Facts, tune.Explanation, error) {
	facts, m, err := planned(forPath, root)
	if err != nil {
		return facts, tune.Explanation{}, err
	}
	return facts, tune.Explain(&facts, m, algorithm), nil
}

// planned is what a plan rests on: the host's facts, and what was measured of
// the path, nil where nothing was.
func planned(forPath, root string) (tune.Facts, *tune.Measured, error) {
	run, err := CheckFor(forPath)
	if err != nil {
		return tune.Facts{}, nil, err
	}
	facts, err := surveyed(root)
	if err != nil || run == nil {
		return facts, nil, err
	}
	return facts, Measured(run), nil
}

// surveyed are the facts of this host, or of the image in root.
func surveyed(root string) (tune.Facts, error) {
	if root != "" {
		return survey.Image(root)
	}
	if runtime.GOOS != "linux" {
		return tune.Facts{}, hint.With(errors.New("only Linux hosts can be tuned"), "unchoke tune plan --root DIR plans for an image of one")
	}
	return survey.Host(host.Host{Disk: disk.OS{}}), nil
}
