package draw

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"unchoke/internal/path"
)

func TestHomesAreDrawnBySeedAndIndexAlone(t *testing.T) {
	for i := range 200 {
		one, again, other := Homes.New(1, i, false), Homes.New(1, i, false), Homes.New(2, i, false)
		if !reflect.DeepEqual(one, again) {
			t.Errorf("path %d differs between two draws of one seed", i)
		}
		if one.Scene.Path == other.Scene.Path {
			t.Errorf("two seeds share path %d: %s", i, one.Scene.Path)
		}
		if one.Name() == Links.New(1, i, false).Name() || one.Name() == Places.New(1, i, false).Name() {
			t.Errorf("path %d: two hands share the name %s", i, one.Name())
		}
	}
}

func TestHomesAreInThePathLanguage(t *testing.T) {
	for i := range many {
		for _, s := range scenes(Homes.New(3, i, i%2 == 0)) {
			p, err := path.Parse(s.Path)
			if err != nil {
				t.Fatalf("%d, %s: %v", i, s.Path, err)
			}
			if back, err := path.Parse(p.String()); err != nil || back != p {
				t.Errorf("%d: %s comes back as %s, %v", i, s.Path, back, err)
			}
		}
	}
}

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
	for n, share := range map[int]float64{0: soundNetworks, 2: doublyImpaired} {
		if got := float64(counts[n]) / many; got < share-0.07 || got > share+0.07 {
			t.Errorf("%d things are wrong with %.2f of the paths", n, got)
		}
	}
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
	for i := range many {
		d := Homes.New(6, i, false)
		for _, way := range Both {
			if d.Ceiling[way] > d.Capacity[way] {
				t.Errorf("%s: more than its clean path lets pass %s", d.Name(), way)
			}
		}
	}
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
