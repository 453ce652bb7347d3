package rollout

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"unchoke/internal/app"
	"unchoke/internal/app/far"
	"unchoke/internal/app/request"
	"unchoke/internal/diagnose"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/remote"
)

// CheckRequest asks what the paths of a fleet carry.
type CheckRequest struct {
	// CheckRequest is what each check is asked, but for its target.
	app.CheckRequest
	Hosts []inventory.Host
	// Mesh checks from each host to each other one, not from here.
	Mesh bool
}

// LocalHost is the name of this host as an end of a path.
const LocalHost = app.LocalPlace

// Check checks each path in turn; in a mesh, those that share no host and no
// line side by side. A path that fails is reported, and the others go on. Records
// are kept here. The error is the context's, or that of all paths.
func Check(ctx context.Context, q CheckRequest) (fleet.Survey, error) {
	s := fleet.Survey{Mesh: q.Mesh, Hosts: []string{}, Paths: []fleet.Path{}}
	for _, h := range q.Hosts {
		s.Hosts = append(s.Hosts, h.Name)
	}
	if q.Mesh {
		return s, q.mesh(ctx, &s)
	}
	for i, h := range q.Hosts {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		each := q.CheckRequest
		each.Target, each.SSH = h.Target(), h.SSH
		each.Progress = func(share float64, what string) {
			q.Progress.OrNone()((float64(i)+min(max(share, 0), 1))/float64(len(q.Hosts)), h.Name+": "+what)
		}
		run, err := app.Check(ctx, each)
		s.Paths = append(s.Paths, pathOf(LocalHost, h.Name, run, err))
	}
	return s, allFailed(ctx, s)
}

// allFailed is the context's error, and that of a survey without one path.
func allFailed(ctx context.Context, s fleet.Survey) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, p := range s.Paths {
		if p.Error == "" {
			return nil
		}
	}
	return errors.New("no path of the fleet could be measured")
}

// pathOf is what a check says of a path.
func pathOf(from, to string, run *record.Run, err error) fleet.Path {
	p := fleet.Path{From: from, To: to, Ways: []fleet.PathWay{}}
	if err != nil {
		p.Error, p.Hint = err.Error(), hint.Of(err)
	}
	if run == nil {
		return p
	}
	p.Record = run.ID
	measured := diagnose.MeasuredPath(run)
	p.RTT = measured.RTT
	findings := diagnose.Diagnose(run)
	for _, d := range []record.Direction{record.Up, record.Down} {
		w := measured.Up
		if d == record.Down {
			w = measured.Down
		}
		if w == nil {
			continue
		}
		way := fleet.PathWay{Direction: d, Rate: w.Rate, Capacity: w.Capacity}
		for _, f := range findings {
			if f.Direction == d {
				way.Verdict, way.Confidence, way.Summary = f.Cause, f.Confidence, f.Summary
				break
			}
		}
		p.Ways = append(p.Ways, way)
	}
	return p
}

// meshTime bounds what one pair takes before its check: two logins, perhaps with
// a program to be delivered.
const meshTime = 2 * time.Minute

// pair is a path of a mesh.
type pair struct{ from, to inventory.Host }

// mesh checks from each host to each other one.
func (q CheckRequest) mesh(ctx context.Context, s *fleet.Survey) error {
	var pairs []pair
	var tests []fleet.Test
	for _, from := range q.Hosts {
		for _, to := range q.Hosts {
			if from.Name != to.Name {
				pairs = append(pairs, pair{from, to})
				uses := slices.Concat([]string{from.Name, to.Name}, from.Lines(), to.Lines())
				tests = append(tests, fleet.Test{Uses: uses})
			}
		}
	}
	if len(pairs) == 0 {
		return request.Refuse("name two hosts at least", "a mesh has paths between hosts, and there is %d", len(q.Hosts))
	}
	paths := make([]fleet.Path, len(pairs))
	done := 0
	for n, round := range fleet.Schedule(tests) {
		answers := make(chan int)
		q.Progress.OrNone()(float64(done)/float64(len(pairs)), fmt.Sprintf("round %d: %s to %s", n+1, pairs[round[0]].from.Name, pairs[round[0]].to.Name))
		for _, i := range round {
			go func() {
				p := pairs[i]
				run, err := q.between(ctx, p, len(round) > 1)
				if run != nil {
					run.Place, run.ID = p.from.Name, ""
					q.Save(run, &run.Warnings)
				}
				paths[i] = pathOf(p.from.Name, p.to.Name, run, err)
				answers <- i
			}()
		}
		for range round {
			<-answers
			done++
		}
		if ctx.Err() != nil {
			break
		}
	}
	for _, p := range paths {
		if p.From != "" {
			s.Paths = append(s.Paths, p)
		}
	}
	return allFailed(ctx, *s)
}

// logins are how both hosts of a pair are logged in to. Beside other pairs ssh asks
// nobody, since their questions would meet on one terminal.
func (q CheckRequest) logins(p pair, beside bool) (to request.Request, from remote.Options) {
	to = q.Request
	to.Target, to.SSH, to.Batch = p.to.Target(), p.to.SSH, beside
	from = far.RemoteOptions(to)
	from.Arguments = p.from.SSH
	return to, from
}

// between has one host check the path to another, at which a server is started
// for it.
func (q CheckRequest) between(ctx context.Context, p pair, beside bool) (*record.Run, error) {
	bounded, cancel := context.WithTimeout(ctx, meshTime)
	defer cancel()
	there, options := q.logins(p, beside)
	f, err := far.Serve(bounded, there)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.to.Name, err)
	}
	defer f.Close()
	if f.Client == nil {
		return nil, hint.With(fmt.Errorf("%s: no unchoke runs there", p.to.Name), "install one there, or name a build for it with --far-binary")
	}
	from, err := app.ParsePlace(p.from.Target(), options)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	if err := from.Reach(bounded); err != nil {
		return nil, fmt.Errorf("%s: %w", p.from.Name, err)
	}
	each := q.CheckRequest
	each.Progress = nil
	each.Quick, each.Token = true, f.Token
	var failed error
	for _, address := range meshAddresses(bounded, f, q.Family) {
		each.Target = netip.AddrPortFrom(address, f.Port).String()
		run, err := from.Check(ctx, each)
		if run != nil {
			run.Target = p.to.Name
			return run, err
		}
		failed = err
	}
	if failed == nil {
		failed = errors.New("no address is known there")
	}
	return nil, hint.With(fmt.Errorf("%s cannot reach %s: %w", p.from.Name, p.to.Name, failed), "a mesh needs ports above 1024 open between its hosts")
}

// maxMeshAddresses bounds how many addresses of a host another one tries.
const maxMeshAddresses = 4

// meshAddresses are where another host of the fleet may reach that one: where ssh
// does, then what it says of itself.
func meshAddresses(ctx context.Context, f *far.End, family request.Family) []netip.Addr {
	out := f.Addresses(ctx, family)
	for _, text := range f.Client.Hello.Addresses {
		a, err := netip.ParseAddr(text)
		if err == nil && !slices.Contains(out, a) && (family == request.AnyFamily || a.Is4() == (family == request.IPv4)) {
			out = append(out, a)
		}
	}
	return out[:min(len(out), maxMeshAddresses)]
}
