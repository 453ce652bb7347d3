package vantage

import (
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// survey is all places that measured anything, and how they lie.
type survey struct {
	views []*view
	net   *network
}

func newSurvey(all []*view) *survey {
	views := slices.DeleteFunc(slices.Clone(all), func(v *view) bool { return len(v.runs) == 0 })
	return &survey{views: views, net: networkOf(views)}
}

// places are the names of those that said so.
func (s *survey) places(said map[*view]tells, what tells) []string {
	out := []string{}
	for _, v := range s.views {
		if t, asked := said[v]; asked && t == what {
			out = append(out, v.seen.Name)
		}
	}
	return out
}

func (s *survey) those(said map[*view]tells, what tells) []*view {
	var out []*view
	for _, v := range s.views {
		if t, asked := said[v]; asked && t == what {
			out = append(out, v)
		}
	}
	return out
}

// symptoms are the causes that leading findings name, each with its segment.
func (s *survey) symptoms() []Insight {
	var out []Insight
	for _, d := range record.Directions {
		for _, cause := range finding.Causes() {
			if cause.Fault() && s.leads(cause, d) {
				out = append(out, s.symptom(cause, d)...)
			}
		}
	}
	return out
}

// leads says that the cause is what most rounds of some place say.
func (s *survey) leads(cause finding.Cause, d record.Direction) bool {
	return slices.ContainsFunc(s.views, func(v *view) bool {
		w := v.ways[d]
		return w != nil && w.summary(d).Verdict == cause && w.has(cause) == affected
	})
}

// has says whether a cause is among a direction's findings: in most rounds, in
// none, or, where rounds do not agree, silent.
func (w *way) has(cause finding.Cause) tells {
	n := 0
	for _, findings := range w.findings {
		if slices.ContainsFunc(findings, func(f finding.Finding) bool {
			return f.Cause == cause && f.Severity > 0 && f.Confidence >= sure
		}) {
			n++
		}
	}
	switch {
	case 2*n > len(w.findings):
		return affected
	case n > 0:
		return silent
	}
	return clean
}

// confidence is how sure the diagnoses are of a cause, by the median of the
// affected places' rounds.
func confidence(places []*view, cause finding.Cause, d record.Direction) float64 {
	var all []float64
	for _, v := range places {
		for _, findings := range v.ways[d].findings {
			for _, f := range findings {
				if f.Cause == cause {
					all = append(all, f.Confidence)
				}
			}
		}
	}
	return figureOf(all).Median
}

// host is on which host a cause lies: near the place, far the target, or empty
// for the network between them.
func host(cause finding.Cause, d record.Direction) string {
	switch cause {
	case finding.CPUBound, finding.SocketDrops:
		return "near" // they are found on the host that measures alone
	case finding.SendBuffer, finding.ReceiveWindow, finding.AppLimited:
		return finding.Of(cause).Host.Host(d)
	}
	return ""
}

func (s *survey) symptom(cause finding.Cause, d record.Direction) []Insight {
	switch host(cause, d) {
	case "near":
		return s.ofPlaces(cause, d)
	case "far":
		return s.ofTarget(cause, d)
	}
	return s.ofPath(cause, d)
}

// ofPlaces is a cause that lies in the places themselves: one insight of each,
// or one of all where all have it.
func (s *survey) ofPlaces(cause finding.Cause, d record.Direction) []Insight {
	said := map[*view]tells{}
	for _, v := range s.views {
		if w := v.ways[d]; w != nil {
			said[v] = w.has(cause)
		}
	}
	have := s.those(said, affected)
	make := func(affected []string, segment Segment, of []*view) Insight {
		x := s.insight(cause, d, said, segment)
		x.Affected, x.Confidence = affected, confidence(of, cause, d)
		x.Why = append(x.Why, s.settings(cause, d, of)...)
		return x
	}
	if len(have) == len(s.views) && len(have) > 1 {
		return []Insight{make(s.places(said, affected), Segment{Kind: KindPlace}, have)}
	}
	var out []Insight
	for _, v := range have {
		out = append(out, make([]string{v.seen.Name}, AtPlace(v.seen.Name), []*view{v}))
	}
	return out
}

// ofTarget is a cause in the target: a buffer of its. Whom it holds back depends
// on the round trip: a place that needs less than the buffer does not tell, and
// one for which it held more contradicts.
func (s *survey) ofTarget(cause finding.Cause, d record.Direction) []Insight {
	said := map[*view]tells{}
	limit := 0.0
	for _, v := range s.views {
		if w := v.ways[d]; w != nil && w.has(cause) == affected {
			said[v] = affected
			limit = max(limit, w.inFlight())
		}
	}
	for _, v := range s.views {
		if w := v.ways[d]; w != nil && said[v] != affected {
			said[v] = silent
			if cause != finding.AppLimited && limit > 0 && w.inFlight() > atLimit*limit {
				said[v] = clean
			}
		}
	}
	have := s.those(said, affected)
	x := s.insight(cause, d, said, AtTarget())
	x.Confidence = confidence(have, cause, d)
	if len(x.Clean) > 0 {
		x.Segment, x.Candidates = Segment{Kind: KindUnclear}, []Segment{AtTarget(), BeyondAll()}
		x.Confidence = min(x.Confidence, ambiguous)
	}
	x.Why = append(x.Why, s.settings(cause, d, have)...)
	return []Insight{x}
}

// ofPath is a cause in the network, placed by who has it and who has not.
func (s *survey) ofPath(cause finding.Cause, d record.Direction) []Insight {
	reference := referenceOf(s.views, cause, d)
	said := map[*view]tells{}
	for _, v := range s.views {
		if w := v.ways[d]; w != nil {
			said[v] = reference.ask(v, w)
		}
	}
	if len(s.net.candidates(said)) == 0 { // not one cause: each place's alone
		var out []Insight
		for _, v := range s.those(said, affected) {
			alone := map[*view]tells{}
			for other, t := range said {
				if other == v || t != affected {
					alone[other] = t
				}
			}
			if len(s.net.candidates(alone)) > 0 {
				out = append(out, s.placed(cause, d, alone, reference))
			}
		}
		return out
	}
	return []Insight{s.placed(cause, d, said, reference)}
}

// placed is the insight of what places said of a cause in the network.
func (s *survey) placed(cause finding.Cause, d record.Direction, said map[*view]tells, reference reference) Insight {
	candidates := s.net.candidates(said)
	segment, one := onPath(candidates)
	have := s.those(said, affected)
	x := s.insight(cause, d, said, segment)
	x.Confidence = confidence(have, cause, d) * s.net.certainty(s.views)
	x.Why = append(x.Why, reference.words(s, said)...)
	switch {
	case !one:
		x.Candidates = candidates
		x.Confidence = min(x.Confidence, ambiguous)
	case s.dependsOnSilent(said, segment):
		x.Confidence *= unsilent
	case len(x.Clean) == 0:
		x.Confidence *= noOpposite
	}
	if at, why := s.inHost(segment, have, d); why != "" {
		// What a host's own card or shaper drops looks like the network's fault.
		x.Segment, x.Cause = at, ""
		x.Why = append([]string{why, "The checks call it " + string(cause) + "."}, x.Why...)
		x.Summary = why
	} else {
		x.Why = append(x.Why, s.media(segment)...)
	}
	return x
}

// dependsOnSilent says that the segment would be another if the silent places
// had it, or had it not.
func (s *survey) dependsOnSilent(said map[*view]tells, segment Segment) bool {
	for _, as := range []tells{affected, clean} {
		other := map[*view]tells{}
		for v, t := range said {
			other[v] = t
			if t == silent {
				other[v] = as
			}
		}
		if c := s.net.candidates(other); len(c) > 0 {
			if at, _ := onPath(c); at != segment {
				return true
			}
		}
	}
	return false
}

// insight begins one with who said what.
func (s *survey) insight(cause finding.Cause, d record.Direction, said map[*view]tells, segment Segment) Insight {
	return Insight{
		Cause: cause, Directions: []record.Direction{d}, Segment: segment,
		Affected: s.places(said, affected), Clean: s.places(said, clean), Silent: s.places(said, silent),
		Candidates: []Segment{}, Why: []string{},
	}
}
