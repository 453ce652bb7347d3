package network

import (
	"fmt"
	"reflect"
	"time"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
)

// planner plans a path for each time of its schedule.
type planner struct {
	cfg      Config
	up, down traits
}

// newPlanner reads what the plans need, and refuses a path of which one of its
// times cannot be had.
func newPlanner(cfg Config) (*planner, error) {
	p := &planner{cfg: cfg}
	p.up.varies, p.down.varies = cfg.Path.Schedule.Delays()
	conditions, err := eachAlone(cfg.Path)
	if err != nil {
		return nil, err
	}
	p.up.crossed, p.down.crossed = cfg.Path.Crossed(), cfg.Path.Crossed()
	p.up.udpQueue = cfg.Path.QueueBytes(path.Direction{Rate: cfg.Path.Up.UDP.Rate})
	p.down.udpQueue = cfg.Path.QueueBytes(path.Direction{Rate: cfg.Path.Down.UDP.Rate})
	for _, c := range conditions {
		p.up.udpLoses = p.up.udpLoses || c.Up.UDP.Loss != path.Loss{}
		p.down.udpLoses = p.down.udpLoses || c.Down.UDP.Loss != path.Loss{}
		p.up.loses = p.up.loses || c.Up.Loss != path.Loss{}
		p.down.loses = p.down.loses || c.Down.Loss != path.Loss{}
		p.up.jitters = p.up.jitters || c.Up.Jitter > 0
		p.down.jitters = p.down.jitters || c.Down.Jitter > 0
	}
	for _, way := range []struct {
		name string
		*traits
		dist path.Dist
	}{{"up", &p.up, cfg.Path.Up.Dist}, {"down", &p.down, cfg.Path.Down.Dist}} {
		if !way.jitters {
			continue
		}
		if way.shape, err = jitterOf(way.dist, cfg.Dir); err != nil {
			return nil, fmt.Errorf("%s: %w", way.name, err)
		}
	}
	for _, c := range conditions {
		if _, err := p.plan(c, 0); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// eachAlone is a path without its episodes, and with each alone. What one of
// them asks for the kernel either does or does not do, whatever the others.
func eachAlone(p path.Path) ([]path.Path, error) {
	base := p
	base.Schedule = path.Schedule{}
	out := []path.Path{base}
	for _, e := range p.Schedule.Episodes() {
		alone := base
		var err error
		if alone.Schedule, err = path.NewSchedule(e); err != nil {
			return nil, err
		}
		out = append(out, alone.At(e.At))
	}
	return out, nil
}

// at is the stages of both directions at a time, which is that of the n-th
// change. Each change begins random numbers of its own: the kernel begins new
// ones with every change of a netem.
func (p *planner) at(at time.Duration, n int) (directions, error) {
	return p.plan(p.cfg.Path.At(at), n)
}

func (p *planner) plan(now path.Path, n int) (directions, error) {
	var out directions
	for _, way := range []struct {
		name       string
		base, then path.Direction
		traits
		*stages
	}{
		{"up", p.cfg.Path.Up, now.Up, p.up, &out.up},
		{"down", p.cfg.Path.Down, now.Down, p.down, &out.down},
	} {
		words := way.name
		if n > 0 {
			words = fmt.Sprintf("%s %d", way.name, n)
		}
		if way.base.Rate > 0 && way.base.Queue.Packets == 0 && way.base.Queue.AQM == "" {
			way.then.Queue = path.Queue{Bytes: p.cfg.Path.QueueBytes(way.base)}
		}
		var err error
		if *way.stages, err = planDirection(p.cfg, way.then, way.traits, words); err != nil {
			return directions{}, fmt.Errorf("%s: %w", way.name, err)
		}
	}
	return out, nil
}

// differences are the qdiscs of a chain that are to be changed into those of
// another, by their place. A qdisc whose random numbers alone would be others
// goes on with those it has.
func differences(from, to []qdisc.Qdisc) map[int]qdisc.Qdisc {
	out := map[int]qdisc.Qdisc{}
	for i, q := range to {
		if !reflect.DeepEqual(lasting(from[i]), lasting(q)) {
			out[i] = q
			if n, ok := q.(qdisc.Netem); ok {
				n.Table = nil // it has it
				out[i] = n
			}
		}
	}
	return out
}

// lasting is a qdisc without what differs from change to change.
func lasting(q qdisc.Qdisc) qdisc.Qdisc {
	if n, ok := q.(qdisc.Netem); ok {
		n.Seed, n.Table = 0, nil
		return n
	}
	return q
}
