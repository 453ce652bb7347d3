//go:build !slim

package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/app/request"
	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/hint"
	"unchoke/internal/lab"
	"unchoke/internal/record"
	"unchoke/internal/twin"
)

// PredictRequest asks what arms would do on the path of a record.
type PredictRequest struct {
	Run *record.Run
	// Arms are tried in the direction that each names, or in both; none stands
	// for the remedies of the record's findings.
	Arms []record.Arm
	// Copies are drawn of each direction, and Seats of them tried with each arm;
	// 0 are the defaults.
	Copies, Seats int
	Neighbor      bool // try what a CUBIC stream beside each arm keeps
	// Causes tries the path without what impairs it too, where it has a fault: what
	// each cause costs.
	Causes bool
	// Quick tries what Arms and Causes ask for in those directions alone that have
	// something to try, and for a shorter time, so that a check can have it.
	Quick bool
	// Sure predicts also where the copies do not behave as the path did: for
	// benches that ask how wrong that would be.
	Sure     bool
	Progress request.Progress
}

// What a prediction takes by default: the more copies, the better one of them
// fits; the more seats, the better the ends of an interval are known.
const (
	defaultCopies = 32
	defaultSeats  = 8
	neighbored    = 3

	quickCopies, quickSeats = 2 * copiesAtATime, 4
)

// seed of the copies: the same record gives the same prediction.
const predictSeed = 1

// Predict rebuilds the path in the lab, holds the copies against the record and
// tries the arms on those that behave as the path did.
func Predict(ctx context.Context, q PredictRequest) (twin.Prediction, error) {
	if err := checkAlgorithms(ctx, q.Arms); err != nil {
		return twin.Prediction{}, err
	}
	return predict(ctx, q, newLabMachines().run)
}

// checkAlgorithms refuses arms that the lab kernel has no algorithm for, before the path
// is rebuilt, which takes much longer.
func checkAlgorithms(ctx context.Context, arms []record.Arm) error {
	if !slices.ContainsFunc(arms, func(a record.Arm) bool { return a.CC != "" }) {
		return nil
	}
	have, err := lab.Algorithms(ctx, "")
	if err != nil {
		return fmt.Errorf("predict: %w", err)
	}
	return unknownAlgorithm(arms, have)
}

func unknownAlgorithm(arms []record.Arm, have []string) error {
	for _, a := range arms {
		if a.CC != "" && !slices.Contains(have, a.CC) {
			slices.Sort(have)
			return request.Refuse("it has "+strings.Join(have, ", "), "arm %q: the lab kernel has no congestion control %s", a.Name, a.CC)
		}
	}
	return nil
}

// CheckToPredict is the check that a name stands for, as CheckFor finds it. A URL
// is refused: no check of one can be predicted for.
func CheckToPredict(name string) (*record.Run, error) {
	if request.KindOf(name) == request.URLTarget {
		return nil, hint.With(fmt.Errorf("predict %s: a check of a URL tells why a download is slow, and not what its path carries", name), checkForPrediction)
	}
	return CheckFor(name)
}

const checkForPrediction = "check the path to that host with an iperf3 server or sshd there, and predict for it: unchoke check HOST, or ssh://HOST"

// trialsRunner makes trials; done hears of each.
type trialsRunner func(ctx context.Context, trials []twin.Trial, done func()) ([]twin.Outcome, error)

func predict(ctx context.Context, q PredictRequest, run trialsRunner) (twin.Prediction, error) {
	fit, err := twin.Of(q.Run)
	if errors.Is(err, twin.ErrFlow) || errors.Is(err, twin.ErrFetch) {
		return twin.Prediction{}, hint.With(fmt.Errorf("predict: %w", err), checkForPrediction)
	}
	if err != nil {
		return twin.Prediction{}, fmt.Errorf("predict: %w", err)
	}
	p := predictor{
		PredictRequest: q, fit: fit, run: run,
		out: twin.Prediction{Record: q.Run.ID, Target: q.Run.Target, Twin: fit.Path().String(), NotRebuilt: fit.NotRebuilt},
	}
	switch {
	case q.Quick:
		p.Copies, p.Seats = quickCopies, quickSeats
	case p.Copies == 0:
		p.Copies, p.Seats = defaultCopies, defaultSeats
	}
	p.findings = diagnose.Diagnose(unweighed(q.Run))
	p.arms = p.allArms()
	if p.Causes {
		p.leaveUntold()
	}
	panels, err := p.judge(ctx)
	if err != nil {
		return p.out, err
	}
	if !p.Causes {
		p.refuseUntold(panels)
	}
	return p.out, p.try(ctx, panels)
}

// unweighed is a record as the rules alone read it. What copies made of it before decides
// about nothing that is tried again: it would leave out just what it cleared.
func unweighed(run *record.Run) *record.Run {
	bare := *run
	bare.Predicted = nil
	return &bare
}

// untold is what a check does not tell of a direction, so that no remedy can be tried
// there; empty where it tells all. How many others fill the bottleneck, and how they give
// way to another algorithm, is theirs: copies with others of their own carry what was
// measured, and something else with another arm. How soon outages come again is chance.
func (p *predictor) untold(d record.Direction) string {
	crowded := func(f finding.Finding) bool { return f.Direction == d && f.Cause == finding.Congested }
	switch {
	case slices.ContainsFunc(p.findings, crowded):
		return "others fill the bottleneck: how many they are, and how they give way, a check does not tell"
	case p.fit.Slows(d):
		return "the path's own rate is lower at times: for how long, a check does not tell"
	case p.fit.Outages.Costly:
		return "outages cost a stream a tenth of its time or more: how soon they come again, a check does not tell"
	}
	return ""
}

// leaveUntold tries no remedy where a check does not tell enough. What each cause costs is
// asked there all the same, of copies as they are.
func (p *predictor) leaveUntold() {
	for _, d := range record.Directions {
		if why := p.untold(d); why != "" && len(p.in(d)) > 0 {
			p.arms = slices.DeleteFunc(p.arms, func(a twin.Arm) bool { return a.Direction == d })
			p.out.Left = append(p.out.Left, d.Word()+": "+why)
		}
	}
}

// refuseUntold takes out the directions of which a check does not tell enough.
func (p *predictor) refuseUntold(panels []twin.Panel) {
	for i, panel := range panels {
		if why := p.untold(panel.Direction); why != "" {
			panels[i].Agrees, p.out.Ways[i].Agrees = false, false
			p.out.NotRebuilt = append(p.out.NotRebuilt, panel.Direction.Word()+", "+why)
		}
	}
}

// predictor makes one prediction.
type predictor struct {
	PredictRequest
	fit      twin.Fit
	run      trialsRunner
	findings []finding.Finding
	arms     []twin.Arm
	out      twin.Prediction
}

// faulty says that a direction has something to fix, that one stream is slow there and
// nobody knows why, or that outages take much of its time.
func (p *predictor) faulty(d record.Direction) bool {
	return p.fit.Outages.Costly || slices.ContainsFunc(p.findings, func(f finding.Finding) bool {
		return f.Direction == d && f.Cause != finding.Healthy
	})
}

// in are the arms of a direction.
func (p *predictor) in(d record.Direction) []twin.Arm {
	return slices.DeleteFunc(slices.Clone(p.arms), func(a twin.Arm) bool { return a.Direction != d })
}

// allArms are what is asked for, or the remedies: of what the rules find, and of what a
// check's copies named beside it.
func (p *predictor) allArms() []twin.Arm {
	var out []twin.Arm
	if len(p.Arms) == 0 {
		var left []string
		findings := p.findings
		if len(p.Run.Predicted) > 0 {
			findings = slices.Concat(findings, diagnose.Diagnose(p.Run))
		}
		out, left = twin.Remedies(findings)
		p.out.Left = append(p.out.Left, left...)
	}
	for _, a := range p.Arms {
		for _, d := range record.Directions {
			if a.Direction == d || a.Direction == "" {
				a := a
				a.Direction = d
				out = append(out, twin.Arm{Arm: a})
			}
		}
	}
	return out
}

// judge draws copies of each direction until enough of them behave as the path
// did, and seats those.
func (p *predictor) judge(ctx context.Context) ([]twin.Panel, error) {
	var panels []twin.Panel
	for _, d := range record.Directions {
		if p.fit.Measured(d) && (!p.Quick || !p.fit.RareOutages(d) && (len(p.in(d)) > 0 || p.Causes && p.faulty(d))) {
			panels = append(panels, twin.Panel{Direction: d})
		}
	}
	copies := map[record.Direction][]twin.Copy{}
	seen := map[record.Direction][][]twin.Outcome{}
	for drawn := 0; drawn < p.Copies; {
		n := min(copiesAtATime, p.Copies-drawn)
		var trials []twin.Trial
		var open []int
		for i, panel := range panels {
			if panel.Settled(settled) {
				continue
			}
			open = append(open, i)
			for k := range n {
				c := p.fit.Copy(panel.Direction, drawn+k, predictSeed)
				copies[panel.Direction] = append(copies[panel.Direction], c)
				trials = append(trials, p.fit.Checks(panel.Direction, c)...)
			}
		}
		if len(open) == 0 {
			break
		}
		share := 0.6 / float64(p.Copies)
		count := p.counter(share*float64(drawn), share*float64(drawn+n), len(trials), "rebuild the path")
		outcomes, err := p.run(ctx, trials, count)
		if err != nil {
			return nil, err
		}
		for _, i := range open {
			d := panels[i].Direction
			for _, c := range copies[d][len(seen[d]):] {
				m := len(p.fit.Checks(d, c))
				seen[d] = append(seen[d], outcomes[:m])
				outcomes = outcomes[m:]
			}
			panels[i] = p.fit.Judge(d, copies[d], seen[d], p.Seats)
			panels[i].Quick = p.Quick
		}
		drawn += n
	}
	for _, panel := range panels {
		p.out.Ways = append(p.out.Ways, twin.Likeness{Direction: panel.Direction, Agrees: panel.Agrees, Compared: panel.Compared})
	}
	return panels, nil
}

const (
	copiesAtATime = 8
	// settled: so many copies that count are as good as the seats.
	settled = 5
)

// asked is an arm on a panel, and what came of it.
type asked struct {
	panel    int
	arm      twin.Arm
	own      []twin.Outcome
	beside   []twin.Outcome
	nowIndex int
}

// try runs the arms, those of a direction that is not understood left out:
// first on half of the members, then where these differ, or tell nothing, on all.
func (p *predictor) try(ctx context.Context, panels []twin.Panel) error {
	var all []asked
	for i, panel := range panels {
		if !panel.Agrees && !p.Sure {
			continue
		}
		now := len(all)
		arms := append([]twin.Arm{twin.Now(panel.Direction)}, p.in(panel.Direction)...)
		switch {
		case !p.Causes || !p.faulty(panel.Direction):
		case panel.MissesOutages():
			p.out.Left = append(p.out.Left, panel.Direction.Word()+": outages come too rarely for a trial, and copies without them would be as they are")
		default:
			arms = append(arms, panel.Counterfactuals(p.findings)...)
		}
		for _, a := range arms {
			all = append(all, asked{panel: i, arm: a, nowIndex: now})
		}
	}
	half := (p.Seats + 1) / 2
	for round, members := range [][2]int{{0, half}, {half, p.Seats}} {
		var trials []twin.Trial
		var which []int
		loose := map[int]bool{}
		for _, x := range all {
			loose[x.panel] = loose[x.panel] || round == 0 || !twin.Firm(x.own) || panels[x.panel].FirstLack(x.arm, half)
		}
		for i, x := range all {
			if panel := panels[x.panel]; loose[x.panel] {
				which = append(which, i)
				trials = append(trials, p.shortened(panel.Trials(x.arm, panel.Members[members[0]:members[1]]))...)
				if p.besides(x.arm) && round == 0 {
					trials = append(trials, panel.Neighbored(x.arm, neighbored)...)
				}
			}
		}
		outcomes, err := p.run(ctx, trials, p.counter(0.6+0.2*float64(round), 0.8+0.2*float64(round), len(trials), "try the remedies"))
		if err != nil {
			return err
		}
		for _, i := range which {
			x := &all[i]
			n := members[1] - members[0]
			x.own, outcomes = append(x.own, outcomes[:n]...), outcomes[n:]
			if p.besides(x.arm) && round == 0 {
				n = len(panels[x.panel].Neighbored(x.arm, neighbored))
				x.beside, outcomes = outcomes[:n], outcomes[n:]
			}
		}
	}
	for _, x := range all {
		p.out.Arms = append(p.out.Arms, panels[x.panel].Predict(x.arm, x.own, all[x.nowIndex].own, x.beside))
	}
	return nil
}

// besides says whether an arm is tried with a neighbour: nobody asks what it
// would keep on another path.
func (p *predictor) besides(a twin.Arm) bool { return p.Neighbor && len(a.Without) == 0 }

// shortened are trials for a quick prediction: a check waits for them.
func (p *predictor) shortened(trials []twin.Trial) []twin.Trial {
	if p.Quick {
		for i := range trials {
			trials[i] = trials[i].Quick()
		}
	}
	return trials
}

// counter moves the progress from one share to another in so many steps.
func (p *predictor) counter(from, to float64, steps int, what string) func() {
	progress := p.Progress.OrNone()
	n := 0
	progress(from, what)
	return func() {
		n++
		progress(from+(to-from)*float64(n)/float64(max(steps, 1)), what)
	}
}
