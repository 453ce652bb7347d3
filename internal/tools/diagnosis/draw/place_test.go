package draw

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Each impairment changes something when it is taken away, together they are
// all that there is, and each has words that are documented.
func TestTroublesCanBeTakenAway(t *testing.T) {
	counts := map[int]int{}
	for i := range many {
		single, double := Places.New(4, i, false), Places.New(4, i, true)
		counts[len(single.Impairments)]++
		if len(double.Impairments) != 2 {
			t.Errorf("%s: %d things are wrong", double.Name(), len(double.Impairments))
		}
		for _, d := range []Draw{single, double} {
			checkTroubles(t, d)
		}
	}
	hasShares(t, counts, map[int]float64{0: nothingWrong, 2: twoWrong})
}

// hasShares checks what share of many paths has so many impairments.
func hasShares(t *testing.T, counts map[int]int, shares map[int]float64) {
	t.Helper()
	for n, share := range shares {
		if got := float64(counts[n]) / many; got < share-0.07 || got > share+0.07 {
			t.Errorf("%d things are wrong with %.2f of the paths", n, got)
		}
	}
}

func checkTroubles(t *testing.T, d Draw) {
	t.Helper()
	switch n := len(d.Impairments); {
	case n == 0 && !reflect.DeepEqual(d.Scene, d.Clean):
		t.Errorf("%s is impaired: %+v", d.Name(), d)
	case n == 1 && !reflect.DeepEqual(d.Impairments[0].Without, d.Clean):
		t.Errorf("%s without its impairment is not its clean path", d.Name())
	}
	for _, x := range d.Impairments {
		if reflect.DeepEqual(x.Without, d.Scene) {
			t.Errorf("%s, %s: taking %s away changes nothing", d.Name(), d.Scene.Path, x.Name)
		}
		names := []string{x.In(Up), x.In(Down)}
		for _, p := range slices.Concat(x.Partly, x.Together) {
			names = append(names, p.Name)
			if reflect.DeepEqual(p.Without, d.Scene) || reflect.DeepEqual(p.Without, x.Without) {
				t.Errorf("%s, %s: %s takes nothing away, or all", d.Name(), d.Scene.Path, p.Name)
			}
		}
		for _, n := range names {
			if len(Words[n].Causes) == 0 {
				t.Errorf("%q has no word", n)
			}
		}
	}
}

// Every place is drawn, with each of its troubles alone and with none.
func TestPlacesAreDrawnWhole(t *testing.T) {
	seen := map[string]map[string]bool{}
	for i := range 4 * many {
		d := Places.New(5, i, false)
		if seen[d.Family] == nil {
			seen[d.Family] = map[string]bool{}
		}
		if len(d.Impairments) < 2 {
			names := []string{}
			for _, x := range d.Impairments {
				names = append(names, x.Name)
			}
			seen[d.Family][strings.Join(names, "+")] = true
		}
	}
	for _, p := range places {
		want := map[string]bool{"": true}
		r := rand.New(rand.NewPCG(1, 1))
		for _, trouble := range p.troubles {
			for range 1000 {
				l := p.line(r)
				if x, ok := trouble.impair(r, &l); ok {
					want[x[0].name] = true
					break
				}
			}
		}
		if !reflect.DeepEqual(seen[p.name], want) {
			t.Errorf("%s: drawn %v, wanted %v", p.name, seen[p.name], want)
		}
	}
}

func TestPlacesHaveRealRanges(t *testing.T) {
	hasRanges(t, func(i int) Draw { return Places.New(6, i, false) }, ranges{
		least: 0.4e6, most: 150e6, fewTunnels: 0.2, manyTunnels: 0.5, slowTenth: 8e6, fastTenth: 50e6,
	})
}

func TestHandIsAFlag(t *testing.T) {
	hand := Links
	if err := hand.Set("places"); err != nil || hand != Places {
		t.Errorf("%v, %v", hand, err)
	}
	if err := hand.Set("palaces"); err == nil || hand != Places {
		t.Errorf("%v, %v", hand, err)
	}
}
