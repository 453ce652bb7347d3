package draw

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/path"
)

const many = 600

func TestHandsDrawBySeedAndIndexAlone(t *testing.T) {
	hands := []Hand{Links, Places, Homes}
	for i := range 200 {
		names := map[string]Hand{}
		for _, h := range hands {
			one, again, other := h.New(1, i, false), h.New(1, i, false), h.New(2, i, false)
			if !reflect.DeepEqual(one, again) {
				t.Errorf("%s: path %d differs between two draws of one seed", h, i)
			}
			if one.Scene.Path == other.Scene.Path {
				t.Errorf("%s: two seeds share path %d: %s", h, i, one.Scene.Path)
			}
			if of, taken := names[one.Name()]; taken {
				t.Errorf("path %d: %s and %s share the name %s", i, of, h, one.Name())
			}
			names[one.Name()] = h
		}
		if !reflect.DeepEqual(Links.New(1, i, false), New(1, i, false)) {
			t.Errorf("path %d: the hand of links does not draw as New does", i)
		}
	}
}

// Every scene is one that the lab can read, and is written as it would print.
func TestScenesAreInThePathLanguage(t *testing.T) {
	for _, h := range []Hand{Links, Places, Homes} {
		for i := range many {
			for _, s := range slices.Concat(scenes(h.New(3, i, false)), scenes(h.New(3, i, true))) {
				p, err := path.Parse(s.Path)
				if err != nil {
					t.Fatalf("%s %d, %s: %v", h, i, s.Path, err)
				}
				if back, err := path.Parse(p.String()); err != nil || back != p {
					t.Errorf("%s %d: %s comes back as %s, %v", h, i, s.Path, back, err)
				}
			}
		}
	}
}

func scenes(d Draw) []Scene {
	all := []Scene{d.Scene, d.Clean}
	for _, x := range d.Impairments {
		all = append(all, x.Without)
		for _, p := range slices.Concat(x.Partly, x.Together) {
			all = append(all, p.Without)
		}
	}
	return all
}

func TestImpairmentsCanBeTakenAway(t *testing.T) {
	for i := range many {
		single, double := New(4, i, false), New(4, i, true)
		if strings.HasPrefix(single.Family, "clean") || single.Family == "long" {
			if len(single.Impairments) > 0 || !reflect.DeepEqual(single.Scene, single.Clean) {
				t.Errorf("%s is impaired: %+v", single.Name(), single)
			}
		} else if len(single.Impairments) != 1 || !reflect.DeepEqual(single.Impairments[0].Without, single.Clean) {
			t.Errorf("%s without its impairment is not its clean path", single.Name())
		}
		if len(double.Impairments) != 2 {
			t.Fatalf("%s has %d impairments", double.Name(), len(double.Impairments))
		}
		for k, x := range double.Impairments {
			if reflect.DeepEqual(x.Without, double.Scene) {
				t.Errorf("%s, %s: taking %s away changes nothing", double.Name(), double.Scene.Path, x.Name)
			}
			if other := double.Impairments[1-k]; reflect.DeepEqual(x.Without, other.Without) {
				t.Errorf("%s: without %s is without %s", double.Name(), x.Name, other.Name)
			}
		}
	}
}

func TestEveryNameHasAWord(t *testing.T) {
	drawn := map[string]bool{}
	for i := range many {
		d := New(5, i, false)
		drawn[d.Family] = true
		for _, x := range d.Impairments {
			names := []string{x.In(Up), x.In(Down)}
			for _, p := range slices.Concat(x.Partly, x.Together) {
				names = append(names, p.Name)
				if reflect.DeepEqual(p.Without, d.Scene) {
					t.Errorf("%s: %s takes nothing away", d.Name(), p.Name)
				}
			}
			for _, n := range names {
				if len(Words[n].Causes) == 0 || Words[n].Reason == "" {
					t.Errorf("%q has no word", n)
				}
			}
		}
	}
	for _, f := range families {
		if !drawn[f.name] {
			t.Errorf("of %d paths none is of family %s", many, f.name)
		}
	}
}

func TestRangesAreRealOnes(t *testing.T) {
	hasRanges(t, func(i int) Draw { return New(6, i, false) }, ranges{
		least: 0.2e6, most: 300e6, fewTunnels: 0.4, manyTunnels: 0.6, slowTenth: 15e6, fastTenth: 80e6,
	})
}

// ranges are those of a hand's paths: every rate, the share of tunnels, and the
// downloads of the slowest and the fastest tenth. Rates are in bit/s.
type ranges struct{ least, most, fewTunnels, manyTunnels, slowTenth, fastTenth float64 }

func hasRanges(t *testing.T, draw func(i int) Draw, r ranges) {
	t.Helper()
	var rates []float64
	tunnels := 0
	for i := range many {
		d := draw(i)
		if d.RTT < 0.001 || d.RTT > 0.7 {
			t.Errorf("%s: RTT of %v s", d.Name(), d.RTT)
		}
		for _, way := range Both {
			if c := d.Capacity[way]; c < r.least || c > r.most {
				t.Errorf("%s: %v bit/s %s", d.Name(), c, way)
			}
			if d.Ceiling[way] > d.Capacity[way] {
				t.Errorf("%s: more than its clean path lets pass %s", d.Name(), way)
			}
		}
		rates = append(rates, d.Capacity[Down])
		if strings.Contains(d.Scene.Path, "tunnel=") {
			tunnels++
		}
	}
	slices.Sort(rates)
	if share := float64(tunnels) / many; share < r.fewTunnels || share > r.manyTunnels {
		t.Errorf("%.2f of the paths are tunnels", share)
	}
	if rates[many/10] > r.slowTenth || rates[9*many/10] < r.fastTenth {
		t.Errorf("rates from %v to %v", rates[many/10], rates[9*many/10])
	}
}

func TestCommandCanBePasted(t *testing.T) {
	s := Scene{Path: "rtt=27ms,schedule=every 15s for 200ms rtt=+50ms", NearSysctl: []string{"net.ipv4.tcp_wmem=4096 16384 65536"}}
	want := `unchoke lab exec --seed 7 --path 'rtt=27ms,schedule=every 15s for 200ms rtt=+50ms' --far 'iperf3 -s' ` +
		`--near-sysctl 'net.ipv4.tcp_wmem=4096 16384 65536' -- sh -c 'unchoke check far'`
	if got := s.Command(7, "unchoke check far"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The documentation has the table as it is.
func TestWordsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/diagnosis-bench.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), WordTable()) {
		t.Errorf("docs/diagnosis-bench.md should have\n%s", WordTable())
	}
}
