package twin

import (
	"math/rand/v2"
	"slices"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// Outages are the times of a fit in which nothing comes through.
type Outages struct {
	Seen  []diagnose.Outage // in seconds since the check began
	For   Param             // how long one lasts, in seconds
	Every Param             // from the beginning of one to that of the next, in seconds
	// Costly says that they cost a stream more than a copy may be off.
	Costly bool
}

// outagesOf reads those that a diagnosis finds. How soon one follows another, two of them
// tell; of a single one it is not known, but that none came while the path was watched.
func outagesOf(r *record.Run) Outages {
	met, cost := diagnose.Outages(r)
	n := float64(len(met.All))
	if n == 0 {
		return Outages{}
	}
	every, length := 1/met.Often(), met.Share()/met.Often()
	o := Outages{Seen: met.All, For: about(length, 1.2), Every: about(every, onceFactor), Costly: cost >= modelError-1}
	if n > 1 {
		closest := length / met.AtOftenest()
		o.Every = Param{every, min(closest, every), every * n / (n - 0.5)}
	}
	return o
}

// onceFactor is by how much sooner or later than in the time for which a path was watched a
// single outage may come again.
const onceFactor = 2

// outage is how a copy comes and goes; the zero value does not.
type outage struct {
	length, every time.Duration
	phase         float64 // of an every, at which the first one begins
	// up and down say which way carries nothing: echoes need both. Neither does where
	// outages are taken away.
	up, down bool
}

// likeliest is an outage of both ways.
func (o Outages) likeliest() outage {
	return o.lasting(o.For.Value, o.Every.Value, 0.5)
}

func (o Outages) lasting(length, every, phase float64) outage {
	if len(o.Seen) == 0 || length < leastOutage {
		return outage{}
	}
	length = min(length, mostOutage)
	every = min(max(every, leastGap*length), leastGap*mostOutage)
	return outage{length: toTime(length), every: toTime(every), phase: phase, up: true, down: true}
}

const (
	// leastGap: outages that follow each other leave half of the time at the least.
	leastGap = 2
	// leastOutage and mostOutage in seconds are far from what a check meets.
	leastOutage, mostOutage = 0.01, 600
)

// draw is one that the record allows.
func (o Outages) draw(r *rand.Rand) outage {
	x := o.lasting(o.For.at(r.Float64()), o.Every.at(r.Float64()), r.Float64())
	switch way := r.Float64(); {
	case len(o.Seen) == 0 || way < 0.5:
	case way < 0.75:
		x.down = false
	default:
		x.up = false
	}
	return x
}

func (o outage) there() bool { return o.up || o.down }

// episode is one outage.
func (o outage) episode(at, length time.Duration) path.Episode {
	e := path.Episode{At: at, For: length}
	nothing := path.Change{Loss: &path.Loss{P: unit.Ratio(1)}}
	if o.up {
		e.Up = nothing
	}
	if o.down {
		e.Down = nothing
	}
	return e
}

// again is a schedule by which outages come again and again.
func (o outage) again() path.Schedule {
	if !o.there() {
		return path.Schedule{}
	}
	e := o.episode(toTime(o.phase*o.every.Seconds()), o.length)
	e.Every = o.every
	return scheduled(e)
}

// within are the outages in trials whose figures cover a length at the least, and how long
// they cover then: as many outages fall into it as do in the long run. Those that come too
// rarely for that are left out.
func (o outage) within(length time.Duration) (outage, time.Duration) {
	switch {
	case o.every == 0:
		return o, length
	case o.every > mostWhole*length:
		return outage{}, length
	}
	n := (length + o.every - 1) / o.every
	return o, n * o.every
}

// mostWhole is how many times as long as others a trial may be, for outages.
const mostWhole = 4

// RareOutages says that a direction's outages cost much, and come so rarely that quick trials
// of the likeliest path leave them out: there is nothing to try then.
func (f Fit) RareOutages(d record.Direction) bool {
	c := f.Copy(d, 0, 0)
	return f.Outages.Costly && c.outage.there() && !Now(d).trial(c).Quick().outage.there()
}

// MissesOutages says that outages cost the path much, and that trials of now leave those of
// some member out, since they come too rarely: copies as they are then lack what costs most.
func (p Panel) MissesOutages() bool {
	return p.CostlyOutages && slices.ContainsFunc(p.Members, func(c Copy) bool {
		t := Now(p.Direction).trial(c)
		if p.Quick {
			t = t.Quick()
		}
		return c.outage.there() && !t.outage.there()
	})
}

// replayed is a schedule of the outages that a check met in a span of its time, in seconds,
// each on the ways of a copy's.
func (o Outages) replayed(like outage, from, length float64) path.Schedule {
	var episodes []path.Episode
	for _, x := range o.Seen {
		at, end := max(x.At-from, 0), min(x.At+x.Duration-from, length)
		if end-at >= leastOutage && end < mostOutage && len(episodes) < mostReplayed {
			episodes = append(episodes, like.episode(toTime(at), toTime(end-at)))
		}
	}
	return scheduled(episodes...)
}

const mostReplayed = 16 // as many as a schedule may have

// scheduled is a schedule of episodes that are known to be valid.
func scheduled(episodes ...path.Episode) path.Schedule {
	s, err := path.NewSchedule(episodes...)
	if err != nil {
		panic(err)
	}
	return s
}
