package draw

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Each fault changes something when it is taken away, together they are all
// that there is, and each has words. Of two, each stays whole without the other.
func TestFaultsCanBeTakenAway(t *testing.T) {
	counts := map[int]int{}
	for i := range many {
		single, double := Homes.New(4, i, false), Homes.New(4, i, true)
		counts[len(single.Impairments)]++
		if len(double.Impairments) != 2 {
			t.Errorf("%s: %d things are wrong", double.Name(), len(double.Impairments))
		} else if reflect.DeepEqual(double.Impairments[0].Without, double.Clean) || reflect.DeepEqual(double.Impairments[1].Without, double.Clean) {
			t.Errorf("%s, %s: one hides the other", double.Name(), double.Scene.Path)
		}
		checkTroubles(t, single)
		checkTroubles(t, double)
	}
	hasShares(t, counts, map[int]float64{0: soundNetworks, 2: doublyImpaired})
}

// Each network is drawn, and each fault of it suits its lines.
func TestNetworksAreDrawnWhole(t *testing.T) {
	seen := map[string]bool{}
	for i := range 2 * many {
		seen[Homes.New(5, i, false).Family] = true
	}
	for _, n := range networks {
		if !seen[n.name] {
			t.Errorf("no path is of %s", n.name)
		}
		for i, f := range n.faults {
			alone := network{name: n.name, share: 1, line: n.line, faults: []oddFault{f}}
			r, suits := newRand(uint64(i)), 0
			for range 100 {
				l := n.line(r).connect(r, n.name)
				if _, ok := alone.fail(r, &l, 1); ok {
					suits++
				}
			}
			if suits < 10 {
				t.Errorf("%s: fault %d suits %d of 100 lines", n.name, i, suits)
			}
		}
	}
}

func TestHomesHaveRealRanges(t *testing.T) {
	hasRanges(t, func(i int) Draw { return Homes.New(6, i, false) }, ranges{
		least: 0.5e6, most: 340e6, fewTunnels: 0.3, manyTunnels: 0.55, slowTenth: 25e6, fastTenth: 150e6,
	})
}

func TestCollidingFaultsAreSeen(t *testing.T) {
	l := link{rtt: 0.02, up: 20e6, down: 100e6, queue: 0.03}
	deep, _ := modemBuffer(upOnly, 0.2, 1)(newRand(1), &l)
	aqm, _ := managed(upOnly, "pie")(newRand(1), &l)
	other, _ := managed(downOnly, "pie")(newRand(1), &l)
	if !deep.collides(aqm) || deep.collides(other) {
		t.Errorf("two queues in one direction: %v, in two: %v", deep.collides(aqm), deep.collides(other))
	}
}

func TestWeightedDrawsByShare(t *testing.T) {
	r, counts := newRand(1), make([]int, 3)
	for range 4000 {
		counts[weighted(r, []int{1, 0, 3}, func(n int) int { return n })]++
	}
	if counts[1] != 0 || counts[0] < 850 || counts[0] > 1150 || slices.Max(counts) != counts[2] {
		t.Errorf("drawn %v", counts)
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
