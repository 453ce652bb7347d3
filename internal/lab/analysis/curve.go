package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"unchoke/internal/lab/reference"
	"unchoke/internal/path"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
)

// Axis is what differs along a curve.
type Axis string

const (
	AlongJitter Axis = "jitter_rtt_ratio"
	AlongLoss   Axis = "loss_ratio"
)

// Curve is cells that differ in one impairment alone, from none upward.
type Curve struct {
	Axis    Axis       `json:"axis"`
	Label   string     `json:"label"`
	Arm     string     `json:"arm"`
	CC      string     `json:"cc"`
	Traffic string     `json:"traffic"`
	RTT     float64    `json:"rtt_s"`
	Order   path.Order `json:"order,omitempty"`
	Dist    path.Dist  `json:"dist,omitempty"`
	Levels  []Level    `json:"levels"` // the first is the baseline, without impairment
	Cliff   *Cliff     `json:"cliff"`  // null where the curve stays above half
	// Article is where the article's table has the cliff, 0 where it has none.
	Article float64 `json:"article_cliff,omitempty"`
	// Zone is the part of the axis with a coefficient of variation of ChaosCV
	// or more, from the first such level to the last.
	Zone *stats.Interval `json:"chaos_zone,omitempty"`
}

// Level is one cell of a curve.
type Level struct {
	Cell      int             `json:"cell"`
	At        float64         `json:"at"`              // on the axis
	Retention float64         `json:"retention_ratio"` // mean throughput over the baseline's
	Interval  *stats.Interval `json:"retention_interval,omitempty"`
	Fit       float64         `json:"fit_ratio"` // the monotone fit of it
	// Theory is what a model expects at this level in bit/s, 0 where there is
	// none.
	Theory float64 `json:"theory_bps,omitempty"`
}

// CliffRetention is the share of a curve's impairment-free throughput below
// which it is past its cliff.
const CliffRetention = 0.5

// CliffRule says how a cliff is found.
const CliffRule = "The cliff is where retention falls below 50 %. Retention is the mean throughput relative to the same cell without the impairment. The crossing is read from a monotone (isotonic) least-squares fit of its logarithm, with straight lines between levels. The 95 % interval is a bootstrap over repetitions, widened for small numbers of them (expanded percentile) and for what the curve may do between two levels. The bracket is the two measured levels between which the fit crosses 50 %."

// bendSpread is how far a curve may bend between two levels, of which it is
// known only that it falls: the standard deviation of the logarithm of the
// power by which each replica bends it.
const bendSpread = 0.3

// Cliff is where a curve's retention falls below CliffRetention.
type Cliff struct {
	At float64 `json:"at"`
	// Interval has no upper end where it goes beyond the levels measured, and
	// is null without repetitions.
	Interval *stats.Interval `json:"interval"`
	Bracket  stats.Interval  `json:"bracket"`
}

// jitterCurves finds the curves along jitter. The jitter-free cell of a path
// is the baseline of its curves of every order and distribution.
func jitterCurves(all []Cell) []Curve {
	curves := curvesAlong(all, AlongJitter, func(p path.Path) (rest path.Path, at float64) {
		rest = p
		jitter := max(p.Up.Jitter, p.Down.Jitter)
		for _, d := range []*path.Direction{&rest.Up, &rest.Down} {
			d.Jitter, d.Dist, d.Order = 0, "", ""
		}
		if p.RTT() > 0 {
			at = float64(jitter) / float64(p.RTT())
		}
		return rest, at
	})
	for i := range curves {
		c := &curves[i]
		first := all[c.Levels[1].Cell]
		if first.Loss > 0 || !first.article() || c.Order != path.Free || c.Dist != path.Normal {
			continue
		}
		for _, a := range reference.Cliffs {
			if a.CC == c.CC && a.RTT.Seconds() == c.RTT {
				c.Article = a.Ratio
			}
		}
	}
	return curves
}

// lossCurves finds the curves along random loss, with what theory expects of
// those without jitter.
func lossCurves(all []Cell) []Curve {
	curves := curvesAlong(all, AlongLoss, func(p path.Path) (rest path.Path, at float64) {
		rest = p
		rest.Up.Loss, rest.Down.Loss = path.Loss{}, path.Loss{}
		return rest, float64(p.Up.Loss.Mean())
	})
	for i := range curves {
		levels := curves[i].Levels
		for j := range levels {
			if c := &all[levels[j].Cell]; c.Jitter == 0 {
				levels[j].Theory = expected(c, all[levels[0].Cell].Throughput.Mean)
			}
		}
	}
	return curves
}

// expected is what theory has for a cell without jitter in bit/s, given the
// throughput without loss; 0 where it has nothing.
func expected(c *Cell, lossFree float64) float64 {
	if c.scheduled() || c.Path.Up.Loss.Burst || c.Sides.Streams > 1 || c.Sides.Neighbor != "" {
		return 0
	}
	switch c.CC {
	case "cubic":
		return min(lossFree, theory.CubicRate(c.RTT, c.Loss, segmentPayload(c.Path)))
	case "bbr":
		return theory.BBRRate(lossFree, c.Loss)
	}
	return 0
}

// headers are what a segment spends of a packet: IPv4 and TCP
// with the timestamp option.
const headers = 20 + 20 + 12

// segmentPayload is the bytes of a full segment. A tunnel's device leaves room for
// its headers; WireGuard's for those over IPv6, whatever carries it.
func segmentPayload(p path.Path) int {
	room := p.Tunnel.Headers()
	if p.Tunnel == path.WireGuard {
		room = 80
	}
	return p.EffectiveMTU() - room - headers
}

// curveKey is what the cells of one curve share.
type curveKey struct {
	condition
	order path.Order
	dist  path.Dist
}

func curvesAlong(all []Cell, axis Axis, split func(path.Path) (path.Path, float64)) []Curve {
	base := map[condition]int{}
	levels := map[curveKey][]Level{}
	var keys []curveKey
	for i := range all {
		c := &all[i]
		rest, at := split(c.Path)
		on := c.condition()
		on.path = rest
		if at == 0 {
			base[on] = i
			continue
		}
		key := curveKey{condition: on}
		if axis == AlongJitter {
			key.order, key.dist = c.Path.Up.Order, c.Path.Up.Dist
		}
		if levels[key] == nil {
			keys = append(keys, key)
		}
		levels[key] = append(levels[key], Level{Cell: i, At: at})
	}
	curves := []Curve{}
	for _, key := range keys {
		zero, ok := base[key.condition]
		if !ok || len(levels[key]) < 2 || all[zero].Throughput.Mean <= 0 {
			continue
		}
		ordered := append([]Level{{Cell: zero}}, levels[key]...)
		slices.SortStableFunc(ordered, func(a, b Level) int { return cmp.Compare(a.At, b.At) })
		c := &all[zero]
		curve := Curve{
			Axis: axis, Arm: c.Arm, CC: c.CC, Traffic: c.Traffic, RTT: c.RTT,
			Order: key.order, Dist: key.dist, Levels: ordered,
		}
		curve.Label = curveLabel(curve, all[ordered[1].Cell].Path)
		curve.Zone = zone(all, ordered)
		fitCurve(all, &curve, len(curves))
		curves = append(curves, curve)
	}
	return curves
}

func curveLabel(c Curve, p path.Path) string {
	label := fmt.Sprintf("%s, %s", c.Arm, p.RTT())
	if c.Traffic != "" {
		label += ", " + c.Traffic
	}
	if c.Order == path.Keep {
		label += ", order kept"
	}
	if c.Dist != "" && c.Dist != path.Normal {
		label += ", " + string(c.Dist)
	}
	if c.Axis == AlongJitter && p.Up.Loss != (path.Loss{}) {
		label += ", loss " + p.Up.Loss.String()
	}
	if c.Axis == AlongLoss && p.Up.Jitter > 0 {
		label += fmt.Sprintf(", jitter %v", p.Up.Jitter)
	}
	if p.Tunnel != "" && p.Tunnel != path.NoTunnel {
		label += ", " + string(p.Tunnel)
	}
	if p.Up.Rate > 0 {
		label += ", " + p.Up.Rate.Human()
	}
	if p.Schedule != (path.Schedule{}) {
		label += ", " + p.Schedule.String()
	}
	return label
}

// zone is where the curve's runs scatter.
func zone(all []Cell, levels []Level) *stats.Interval {
	var z *stats.Interval
	for _, l := range levels {
		switch {
		case all[l.Cell].Throughput.CV < ChaosCV:
		case z == nil:
			z = &stats.Interval{Low: l.At, High: l.At}
		default:
			z.High = l.At
		}
	}
	return z
}

// fitCurve fits a curve and finds its cliff.
func fitCurve(all []Cell, c *Curve, stream int) {
	n := len(c.Levels)
	xs, weights := make([]float64, n), make([]float64, n)
	draws := make([]logMeans, n)
	for i, l := range c.Levels {
		rates := make([]float64, len(all[l.Cell].Runs))
		for j, r := range all[l.Cell].Runs {
			rates[j] = r.Throughput
		}
		xs[i], weights[i] = l.At, float64(len(rates))
		draws[i] = newLogMeans(rates)
	}
	logs := make([]float64, n)
	fitted := func(log func(int) float64) []float64 {
		base := log(0)
		logs[0] = 0
		for i := 1; i < n; i++ {
			// A level of stalled runs has no logarithm: e⁻³⁰ is as good as none.
			logs[i] = max(log(i)-base, -30)
		}
		return falling(logs, weights)
	}
	threshold := math.Log(CliffRetention)
	cross := func(fit []float64, bend float64) (int, float64) {
		return crossing(xs, fit, threshold, c.Axis == AlongLoss, bend)
	}

	fit := fitted(func(i int) float64 { return draws[i].log })
	repeated := true
	for i := range c.Levels {
		l := &c.Levels[i]
		l.Fit = math.Exp(fit[i])
		l.Retention = all[l.Cell].Throughput.Mean / all[c.Levels[0].Cell].Throughput.Mean
		repeated = repeated && len(draws[i].xs) > 1
	}
	at, x := cross(fit, 1)
	if at < n && at > 0 {
		c.Cliff = &Cliff{At: x, Bracket: stats.Interval{Low: xs[at-1], High: xs[at]}}
	}
	if !repeated {
		return
	}
	random := newRandom(stream)
	where := make([]float64, replicas)
	retained := make([][]float64, n)
	for r := range replicas {
		replica := fitted(func(i int) float64 { return draws[i].draw(random) })
		for i := range n {
			retained[i] = append(retained[i], math.Exp(logs[i]))
		}
		_, where[r] = cross(replica, math.Exp(bendSpread*random.NormFloat64()))
	}
	for i := 1; i < n; i++ {
		between := middle95(retained[i])
		c.Levels[i].Interval = &between
	}
	if c.Cliff != nil {
		between := middle95(where)
		c.Cliff.Interval = &between
	}
}
