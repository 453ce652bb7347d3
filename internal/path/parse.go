package path

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/unit"
	"unchoke/internal/words"
)

// ParseError says what is wrong where in a path's text.
type ParseError = words.Error

// key is one word of the path language. Exactly one of direction and path is
// set: the former may carry the prefix up. or down.
type key struct {
	name      string
	allowed   string
	direction func(*Direction, string) error
	path      func(*Path, string) error
}

// keys needs no code to be made, so that a program that only prints paths goes
// without the parser.
var keys = []key{
	{"rtt", "a duration such as 50ms", func(d *Direction, v string) error {
		rtt, err := duration(v)
		d.Delay = rtt / 2
		return err
	}, nil},
	{"jitter", "a duration such as 8ms: the standard deviation of the delay of each direction", func(d *Direction, v string) (err error) {
		d.Jitter, err = duration(v)
		return err
	}, nil},
	{"dist", "normal, uniform, pareto, paretonormal, or file:NAME of a table as iproute2 keeps them", func(d *Direction, v string) error {
		d.Dist = Dist(v)
		if name, isFile := strings.CutPrefix(v, FilePrefix); isFile && name != "" {
			return nil
		}
		return oneOf(d.Dist, Normal, Uniform, Pareto, ParetoNormal)
	}, nil},
	{"order", "keep or free", func(d *Direction, v string) error {
		d.Order = Order(v)
		return oneOf(d.Order, Keep, Free)
	}, nil},
	{"loss", lossAllowed, func(d *Direction, v string) (err error) {
		d.Loss, err = parseLoss(v)
		return err
	}, nil},
	{"rate", "a bit rate such as 100mbit", func(d *Direction, v string) (err error) {
		d.Rate, err = positiveRate(v)
		return err
	}, nil},
	{"queue", "bytes (64KiB), packets (1000p), bandwidth-delay products (1.5bdp), or an AQM: fq_codel, cake, codel or pie", func(d *Direction, v string) (err error) {
		d.Queue, err = parseQueue(v)
		return err
	}, nil},
	{"cross", crossAllowed, func(d *Direction, v string) (err error) {
		d.Cross, err = parseCross(v)
		return err
	}, nil},
	{"policer", policerAllowed, func(d *Direction, v string) (err error) {
		d.Policer, err = parsePolicer(v)
		return err
	}, nil},
	{"udp.loss", lossAllowed, func(d *Direction, v string) (err error) {
		d.UDP.Loss, err = parseLoss(v)
		return err
	}, nil},
	{"udp.rate", "a bit rate such as 10mbit", func(d *Direction, v string) (err error) {
		d.UDP.Rate, err = positiveRate(v)
		return err
	}, nil},
	{"udp.policer", policerAllowed, func(d *Direction, v string) (err error) {
		d.UDP.Policer, err = parsePolicer(v)
		return err
	}, nil},
	{"sqm", sqmAllowed, func(d *Direction, v string) (err error) {
		d.SQM, err = parseSQM(v)
		return err
	}, nil},
	{"tunnel", "none, wireguard, gre or ip6gre", nil, func(p *Path, v string) error {
		p.Tunnel = Tunnel(v)
		if err := oneOf(p.Tunnel, NoTunnel, WireGuard, GRE, IP6GRE); err != nil {
			return err
		}
		if p.Tunnel == NoTunnel {
			p.Tunnel = ""
		}
		return nil
	}},
	{"mtu", "bytes from 1280 to 9000", nil, func(p *Path, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < MinMTU || n > MaxMTU {
			return fmt.Errorf("%q is not a usable MTU", v)
		}
		p.MTU = n
		return nil
	}},
	{"pmtud", "on, or off with an mtu below 1500", func(d *Direction, v string) error {
		d.NoPMTUD = v == "off"
		return oneOf(v, "on", "off")
	}, nil},
	{ScheduleKey, scheduleAllowed, nil, func(p *Path, v string) (err error) {
		p.Schedule, err = ParseSchedule(v)
		return err
	}},
}

const (
	lossAllowed    = "a share such as 0.5%, or ge:P:R[:BAD[:GOOD]] such as ge:0.1%:25%"
	policerAllowed = "RATE:BURST such as 50mbit:64KiB"
)

// ScheduleKey is the word of a path's schedule, whose value has an inner form.
const ScheduleKey = "schedule"

func keyNames() string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return "keys are " + strings.Join(names, ", ") + "; all but tunnel, mtu and schedule also with the prefix up. or down."
}

// Parse reads a path's text. The error is a *ParseError.
func Parse(spec string) (Path, error) {
	var p Path
	seen := map[string]bool{}
	for offset, rest := 0, spec; rest != "" || offset > 0; {
		item, after, more := strings.Cut(rest, ",")
		if err := p.set(spec, offset, item, seen); err != nil {
			return Path{}, err
		}
		if !more {
			break
		}
		offset += len(item) + 1
		rest = after
	}
	if err := p.complete(spec); err != nil {
		return Path{}, err
	}
	return p, nil
}

func (p *Path) set(spec string, offset int, item string, seen map[string]bool) error {
	name, value, hasValue := strings.Cut(item, "=")
	fail := func(at, length int, allowed, format string, args ...any) error {
		return &ParseError{What: "path", Text: spec, Offset: at, Length: length, Problem: fmt.Sprintf(format, args...), Allowed: allowed}
	}
	if !hasValue {
		return fail(offset, len(item), keyNames(), "%q is not KEY=VALUE", item)
	}
	base, directions := name, []*Direction{&p.Up, &p.Down}
	if b, ok := strings.CutPrefix(name, "up."); ok {
		base, directions = b, directions[:1]
	} else if b, ok := strings.CutPrefix(name, "down."); ok {
		base, directions = b, directions[1:]
	}
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == base })
	if i < 0 {
		return fail(offset, len(name), keyNames(), "unknown key %q", name)
	}
	k := keys[i]
	if seen[name] {
		return fail(offset, len(name), "each key once", "%q is given twice", name)
	}
	if base == name && (seen["up."+base] || seen["down."+base]) {
		return fail(offset, len(name), "the key for both directions first", "%q after the same key for one direction would undo it", name)
	}
	seen[name] = true

	var err error
	if k.path != nil {
		if base != name {
			return fail(offset, len(name), base+" holds for both directions", "%q cannot be set for one direction", base)
		}
		err = k.path(p, value)
	} else {
		for _, d := range directions {
			if e := k.direction(d, value); e != nil {
				err = e
			}
		}
	}
	if part, ok := errors.AsType[*partError](err); ok {
		return fail(offset+len(name)+1+part.offset, part.length, part.allowed, "bad value for %s: %v", name, err)
	}
	if err != nil {
		return fail(offset+len(name)+1, len(value), base+" takes "+k.allowed, "bad value for %s: %v", name, err)
	}
	return nil
}

// complete fills in defaults and checks what only the whole can tell.
func (p *Path) complete(spec string) error {
	wrong := func(problem, allowed string) error {
		return &ParseError{What: "path", Text: spec, Length: len(spec), Problem: problem, Allowed: allowed}
	}
	upDelays, downDelays := p.Schedule.Delays()
	upCrosses, downCrosses := p.crosses()
	for _, way := range []struct {
		*Direction
		delays, crosses bool
	}{{&p.Up, upDelays, upCrosses}, {&p.Down, downDelays, downCrosses}} {
		d, varies := way.Direction, way.Jitter > 0 || way.delays
		if !varies && (d.Dist != "" || d.Order != "") {
			return wrong("dist and order shape jitter, but there is none", "add jitter=8ms, or leave dist and order out")
		}
		if varies && d.Dist == "" {
			d.Dist = Normal
		}
		if varies && d.Order == "" {
			d.Order = Keep
		}
		if d.Rate == 0 && d.Queue != (Queue{}) {
			return wrong("a queue needs a bottleneck, but there is none", "add rate=100mbit, or leave queue out")
		}
		if d.Rate == 0 && way.crosses {
			return wrong("cross is traffic through a bottleneck, but there is none", "add rate=100mbit, or leave cross out")
		}
	}
	if (p.Up.NoPMTUD || p.Down.NoPMTUD) && p.EffectiveMTU() >= DefaultMTU {
		return wrong("with pmtud=off what is larger than the path's MTU vanishes, and no packet of the hosts is", "add an mtu below 1500 such as mtu=1400, or leave pmtud out")
	}
	if err := p.passes(spec); err != nil {
		return err
	}
	for _, e := range p.Schedule.Episodes() {
		if e.Up.Rate > 0 && p.Up.Rate == 0 || e.Down.Rate > 0 && p.Down.Rate == 0 {
			return wrong("the schedule changes a bottleneck's rate, but there is none", "add the rate outside of the episodes, such as rate=100mbit")
		}
		if e.Up.UDPRate > 0 && p.Up.UDP.Rate == 0 || e.Down.UDPRate > 0 && p.Down.UDP.Rate == 0 {
			return wrong("the schedule changes UDP's rate, but there is none", "add the rate outside of the episodes, such as udp.rate=10mbit")
		}
	}
	return nil
}

func duration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a duration", v)
	case d < 0 || d > maxDelay:
		return 0, fmt.Errorf("%q is not between 0s and %v", v, maxDelay)
	}
	return d.Round(durationStep), nil
}

// A path's durations are even nanoseconds, so that half a round-trip time
// prints back as itself. A minute is longer than any delay TCP's first SYN
// retries outlast.
const (
	durationStep = 2 * time.Nanosecond
	maxDelay     = time.Minute
)

func oneOf[T ~string](v T, allowed ...T) error {
	if !slices.Contains(allowed, v) {
		return fmt.Errorf("%q is unknown", string(v))
	}
	return nil
}

func share(v string) (unit.Ratio, error) {
	r, err := unit.ParseRatio(v)
	if err == nil && r != 0 && !strings.HasSuffix(v, "%") {
		// To tc, 0.5 is half a per cent; to others it is a half.
		if r > 1 {
			return 0, fmt.Errorf("%q has no unit: write %s%%", v, v)
		}
		return 0, fmt.Errorf("%q has no unit: write %s%% or %v", v, v, r)
	}
	if err == nil && r > 1 {
		err = fmt.Errorf("%q is more than 100%%", v)
	}
	return r, err
}

func parseLoss(v string) (Loss, error) {
	model, burst := strings.CutPrefix(v, "ge:")
	if !burst {
		p, err := share(v)
		return Loss{P: p}, err
	}
	parts := strings.Split(model, ":")
	if len(parts) < 2 || len(parts) > 4 {
		return Loss{}, fmt.Errorf("%q has %d of 2 to 4 parts", v, len(parts))
	}
	l := Loss{Burst: true, Bad: 1}
	for i, into := range []*unit.Ratio{&l.P, &l.R, &l.Bad, &l.Good}[:len(parts)] {
		r, err := share(parts[i])
		if err != nil {
			return Loss{}, err
		}
		*into = r
	}
	return l, nil
}

func positiveRate(v string) (unit.BitRate, error) {
	r, err := unit.ParseBitRate(v)
	if err == nil && r < 8 {
		err = fmt.Errorf("%q is not a rate", v)
	}
	return r, err
}

func parseQueue(v string) (Queue, error) {
	if oneOf(AQM(v), FQCoDel, Cake, CoDel, PIE) == nil {
		return Queue{AQM: AQM(v)}, nil
	}
	if n, ok := strings.CutSuffix(v, "bdp"); ok {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil || !(f > 0 && f <= 1000) {
			return Queue{}, fmt.Errorf("%q is not a number of bandwidth-delay products", v)
		}
		return Queue{BDP: f}, nil
	}
	if n, ok := strings.CutSuffix(v, "p"); ok {
		i, err := strconv.Atoi(n)
		if err != nil || i < 1 || i > 10_000_000 {
			return Queue{}, fmt.Errorf("%q is not a number of packets", v)
		}
		return Queue{Packets: i}, nil
	}
	s, err := unit.ParseSize(v)
	if err == nil && (s < 1 || s > 4*unit.GiB-1) {
		err = fmt.Errorf("%q is not between 1 byte and 4 GiB", v)
	}
	return Queue{Bytes: s}, err
}

func parsePolicer(v string) (Policer, error) {
	rate, burst, ok := strings.Cut(v, ":")
	if !ok {
		return Policer{}, fmt.Errorf("%q has no burst", v)
	}
	var p Policer
	var err error
	if p.Rate, err = positiveRate(rate); err != nil {
		return Policer{}, err
	}
	if p.Burst, err = unit.ParseSize(burst); err == nil && p.Burst < 1 {
		err = fmt.Errorf("%q lets nothing pass", burst)
	}
	if err != nil {
		return Policer{}, err
	}
	return p, nil
}
