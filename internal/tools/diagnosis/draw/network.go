package draw

import (
	"math/rand/v2"
	"slices"
)

// network is what somebody is connected to: a line, and what is commonly wrong
// with such lines. Networks are those of the hand Homes.
type network struct {
	name  string
	share int                       // of all paths, among the other networks' shares
	line  func(*rand.Rand) homeLine // ms and Mbit/s
	// faults are in the order in which they apply: what sets a queue comes
	// after what varies the delay or the rate.
	faults []oddFault
}

// fault draws one thing that is wrong. It may adapt the line, and refuses one
// on which it would be nothing.
type fault func(*rand.Rand, *link) (impairment, bool)

// oddFault is a fault with its share among those of a network.
type oddFault struct {
	share int
	fault fault
}

// Of the paths of Homes one in six has nothing wrong with it, and one in six
// has two things.
const (
	soundNetworks  = 1.0 / 6
	doublyImpaired = 1.0 / 6
)

// newOnNetwork draws a path of the hand Homes. Faults that do not suit the line
// are drawn again with another line of the same network.
func newOnNetwork(seed uint64, index int, double bool) Draw {
	r := rand.New(rand.NewPCG(seed, uint64(index)))
	n := networks[weighted(r, networks, func(n network) int { return n.share })]
	count := howMany(r, double, doublyImpaired, soundNetworks)
	for {
		l := n.line(r).connect(r, n.name)
		faults, ok := n.fail(r, &l, count)
		if !ok {
			continue
		}
		d := Draw{Hand: Homes, Seed: seed, Index: index, Family: n.name, Link: l.kind, Lab: 1 + r.Uint64()%1_000_000}
		d.compose(l, l.apply, faults)
		d.leaveOutVoidParts()
		return d
	}
}

// fail draws so many faults of a network, in the order in which they apply.
func (n network) fail(r *rand.Rand, l *link, count int) ([]impairment, bool) {
	var chosen []int
	for len(chosen) < count {
		i := weighted(r, n.faults, func(f oddFault) int { return f.share })
		if !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	var out []impairment
	for _, i := range chosen {
		x, ok := n.faults[i].fault(r, l)
		if !ok || slices.ContainsFunc(out, x.collides) {
			return nil, false
		}
		out = append(out, x)
	}
	return out, true
}

// collides says whether two impairments set the same word or sysctl, so that
// one of them would undo a part of the other.
func (x impairment) collides(y impairment) bool {
	a, b := x.alone(), y.alone()
	return shareKey(a.words, b.words) || shareKey(a.near, b.near) || shareKey(a.far, b.far)
}

// alone is all that an impairment sets.
func (x impairment) alone() *builder {
	b := newBuilder()
	if x.wire != nil {
		x.wire(b)
	}
	x.apply(b)
	return b
}

func shareKey(a, b map[string]string) bool {
	for key := range a {
		if _, ok := b[key]; ok {
			return true
		}
	}
	return false
}

// weighted draws an index, each as often as its share says.
func weighted[T any](r *rand.Rand, of []T, share func(T) int) int {
	sum := 0
	for _, x := range of {
		sum += share(x)
	}
	at := r.IntN(sum)
	return slices.IndexFunc(of, func(x T) bool {
		at -= share(x)
		return at < 0
	})
}
