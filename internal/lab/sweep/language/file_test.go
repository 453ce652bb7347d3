package language

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/lab/reference"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

const chaosFile = `name: chaos
traffic: {kind: paced, rate: 10MiB/s, write: 8KiB, catch_up: false, receive_buffer: 256KiB, read: 16KiB, read_every: 1ms, duration: 10s}
paths: {rtt: [50ms], jitter: [8ms, 10ms, 12ms], loss: [0%], order: [free], dist: [normal]}
arms: {cc: [cubic, bbr]}
repeat: 20
seed: 1
`

func mustGrid(t testing.TB, text string) (File, grid.Grid) {
	t.Helper()
	f, err := Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Grid()
	if err != nil {
		t.Fatal(err)
	}
	return f, g
}

func TestGrid(t *testing.T) {
	f, g := mustGrid(t, chaosFile)
	if want := []string{"path.rtt", "path.jitter", "path.loss", "path.order", "path.dist", "arm.cc"}; !slices.Equal(g.Axes, want) {
		t.Errorf("axes %v, want %v", g.Axes, want)
	}
	if f.Runs() != 120 || len(g.Cells) != 6 {
		t.Fatalf("%d runs in %d cells, want 120 in 6", f.Runs(), len(g.Cells))
	}
	p, err := path.Parse("rtt=50ms,jitter=10ms,order=free")
	if err != nil {
		t.Fatal(err)
	}
	want := grid.Cell{
		Index: 3, Base: 1, Repeat: 20, Path: p, Arm: grid.Arm{CC: "bbr"},
		Traffic: traffic.Spec{
			Kind: traffic.Paced, Rate: 80 << 20, Write: 8 * unit.KiB,
			ReceiveBuffer: 256 * unit.KiB, Read: 16 * unit.KiB, ReadEvery: time.Millisecond,
			Duration: 10 * time.Second,
		},
		Axes: []string{"50ms", "10ms", "0%", "free", "normal", "bbr"},
	}
	if !reflect.DeepEqual(g.Cells[3], want) {
		t.Errorf("cell 3\n%+v\nwant\n%+v", g.Cells[3], want)
	}
}

// All arms of a path meet the same randomness, other paths another, and what
// else the grid holds changes nothing.
func TestSeeds(t *testing.T) {
	_, g := mustGrid(t, chaosFile)
	_, more := mustGrid(t, strings.Replace(chaosFile, "[8ms, 10ms, 12ms]", "[8ms, 9ms, 10ms, 12ms]", 1))
	seen := map[uint64]bool{}
	for i, c := range g.Cells {
		for rep := range c.Repeat {
			seed := c.Seed(rep)
			if c.Arm.CC == "bbr" {
				if seed != g.Cells[i-1].Seed(rep) {
					t.Errorf("%v repetition %d: the arms differ in their seeds", c.Path, rep)
				}
				continue
			}
			if seen[seed] {
				t.Errorf("%v repetition %d: the seed is another run's too", c.Path, rep)
			}
			seen[seed] = true
			if !slices.ContainsFunc(more.Cells, func(o grid.Cell) bool { return o.Path == c.Path && o.Arm == c.Arm && o.Seed(rep) == seed }) {
				t.Errorf("%v repetition %d: the seed is another in a larger grid", c.Path, rep)
			}
		}
	}
}

// The documented derivation, worked out with sha256sum.
func TestSeedIsStable(t *testing.T) {
	if got, want := grid.Seed(1, "rtt=50ms", "kind=bulk,duration=10s", 0), uint64(0x4d8939e96bcf886f); got != want {
		t.Errorf("seed %#x, want %#x", got, want)
	}
}

// Jitter of 0 has no shape: order and dist are left out of that cell, and of
// that direction.
func TestNoJitterNoShape(t *testing.T) {
	_, g := mustGrid(t, `
name: x
paths: {jitter: [0ms, 4ms], order: free, dist: uniform, up.jitter: [0ms, 1ms]}
`)
	var got []string
	for _, c := range g.Cells {
		got = append(got, c.Path.String())
	}
	want := []string{
		"",
		"up.jitter=1ms,up.dist=uniform,up.order=free",
		"down.jitter=4ms,down.dist=uniform,down.order=free",
		"up.jitter=1ms,down.jitter=4ms,dist=uniform,order=free",
	}
	if !slices.Equal(got, want) {
		t.Errorf("paths\n%q\nwant\n%q", got, want)
	}
}

// A schedule is one value: an episode, or text; a list is an axis as of any
// key, whose items may be lists of episodes.
func TestSchedules(t *testing.T) {
	f, g := mustGrid(t, `
name: x
paths:
  rtt: 27ms
  jitter: [0ms, 7ms]
  order: free
  schedule:
    - none
    - {every: 15s, for: 200ms, rtt: +50ms, up.loss: 2%, loss: 1%}
    - [{every: 15s, for: 200ms, loss: 1%}, {at: 30s, jitter: 9ms}]
    - at 20s for 2s loss=100%
`)
	var got []string
	for _, c := range g.Cells {
		got = append(got, c.Path.String())
	}
	want := []string{
		"rtt=27ms",
		"rtt=27ms,order=free,schedule=every 15s for 200ms rtt=+50ms up.loss=2% down.loss=1%",
		"rtt=27ms,order=free,schedule=every 15s for 200ms loss=1%; at 30s jitter=9ms",
		"rtt=27ms,schedule=at 20s for 2s loss=100%",
		"rtt=27ms,jitter=7ms,order=free",
		"rtt=27ms,jitter=7ms,order=free,schedule=every 15s for 200ms rtt=+50ms up.loss=2% down.loss=1%",
		"rtt=27ms,jitter=7ms,order=free,schedule=every 15s for 200ms loss=1%; at 30s jitter=9ms",
		"rtt=27ms,jitter=7ms,order=free,schedule=at 20s for 2s loss=100%",
	}
	if !slices.Equal(got, want) {
		t.Errorf("paths\n%q\nwant\n%q", got, want)
	}
	if axes := g.Cells[1].Axes; axes[len(axes)-1] != "every 15s for 200ms rtt=+50ms up.loss=2% down.loss=1%" {
		t.Errorf("axes %q", axes)
	}
	roundTrip(t, f, g)
	_, one := mustGrid(t, "name: x\npaths:\n  schedule:\n    at: 1s\n    loss: 1%")
	if len(one.Axes) != 0 || one.Cells[0].Path.String() != "schedule=at 1s loss=1%" {
		t.Errorf("axes %q of %v", one.Axes, one.Cells[0].Path)
	}
}

// An episode may change UDP's rate where the path has one.
func TestScheduleOfUDP(t *testing.T) {
	const want = "udp.rate=9mbit,schedule=at 1s for 2s udp.rate=1mbit"
	for _, schedule := range []string{"{at: 1s, for: 2s, udp.rate: 1mbit}", "[[{at: 1s, for: 2s, udp.rate: 1mbit}]]", "at 1s for 2s udp.rate=1mbit"} {
		f, g := mustGrid(t, "name: x\npaths: {udp.rate: 9mbit, schedule: "+schedule+"}")
		if got := g.Cells[0].Path.String(); got != want {
			t.Errorf("%s is %s, want %s", schedule, got, want)
		}
		roundTrip(t, f, g)
	}
}

func TestSeveralSweeps(t *testing.T) {
	f, g := mustGrid(t, `
name: both
traffic: {kind: bulk, duration: 2s}
seed: 7
sweeps:
  - {name: a, paths: {rtt: [10ms, 20ms]}, repeat: 2}
  - name: b
    paths: {rtt: 30ms, loss: [1%]}
    traffic: {kind: paced, rate: [1MiB/s]}
  - preset: loss
`)
	if want := []string{"sweep", "path.rtt", "path.loss", "traffic.rate", "arm.cc"}; !slices.Equal(g.Axes, want) {
		t.Errorf("axes %v, want %v", g.Axes, want)
	}
	if len(f.Sweeps) != 3 || len(g.Cells) != 2+1+28 {
		t.Fatalf("%d sweeps, %d cells", len(f.Sweeps), len(g.Cells))
	}
	for i, want := range map[int][]string{
		1: {"a", "20ms", "", "", ""},
		2: {"b", "30ms", "1%", "1MiB/s", ""},
		3: {"loss", "50ms", "0%", "5MiB/s", "cubic"},
	} {
		if !slices.Equal(g.Cells[i].Axes, want) {
			t.Errorf("cell %d has %q, want %q", i, g.Cells[i].Axes, want)
		}
	}
	if c := g.Cells[2]; c.Base != 7 || c.Repeat != 1 || c.Traffic.Write != 8*unit.KiB || c.Traffic.Duration != 10*time.Second {
		t.Errorf("defaults of cell 2: %+v", c)
	}
}

func TestExclude(t *testing.T) {
	_, g := mustGrid(t, `
name: x
paths: {rtt: [10ms, 20ms], loss: [0%, 1%]}
arms: {cc: [cubic, bbr]}
exclude:
  - {paths: {rtt: 0.01s, loss: [1%]}}
  - {paths: {rtt: 20ms}, arms: {cc: bbr}}
`)
	var got []string
	for i, c := range g.Cells {
		if c.Index != i {
			t.Errorf("cell %d has index %d", i, c.Index)
		}
		got = append(got, strings.Join(c.Axes, " "))
	}
	if want := []string{"10ms 0% cubic", "10ms 0% bbr", "20ms 0% cubic", "20ms 1% cubic"}; !slices.Equal(got, want) {
		t.Errorf("cells %q, want %q", got, want)
	}
}

// Errors have a line and a column, and say what is allowed.
func TestFileErrors(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		line, column int
		problem      string
		allowed      string
	}{
		{"misspelt section", "name: x\npath: {rtt: 1ms}", 2, 1, `unknown key "path" of a sweep: did you mean paths?`, "arms"},
		{"misspelt path key", "name: x\npaths:\n  rtt: [1ms]\n  jiter: [1ms]", 4, 3, `unknown key "jiter" of paths: did you mean jitter?`, "up. or down."},
		{"misspelt direction", "name: x\npaths: {dwn.loss: 1%}", 2, 9, `did you mean down.loss?`, "rtt"},
		{"misspelt traffic key", "name: x\ntraffic: {kind: bulk, durations: 1s}", 2, 23, `did you mean duration?`, "read_every"},
		{"misspelt arm key", "name: x\narms: {ccc: [bbr]}", 2, 8, `did you mean cc?`, "neighbor"},
		{"no unit", "name: x\npaths: {rtt: [50ms, 60]}", 2, 21, `"60" is not a duration`, "rtt takes a duration such as 50ms"},
		{"wrong unit", "name: x\ntraffic: {kind: paced, rate: 10MiB}", 2, 30, `bad value for rate`, "10MiB/s"},
		{"wrong loss", "name: x\npaths:\n  loss:\n    - 0.5%\n    - 200%", 5, 7, `more than 100%`, "loss takes a share"},
		{"empty axis", "name: x\npaths: {rtt: []}", 2, 14, `the axis "rtt" has no values`, "leave rtt out"},
		{"no value", "name: x\npaths:\n  rtt:\n", 3, 7, `"rtt" has no value`, "leave rtt out"},
		{"null in an axis", "name: x\npaths: {rtt: [1ms, ~]}", 2, 20, `"rtt" has no value`, ""},
		{"twice the same", "name: x\npaths: {rtt: [1ms, 0.001s]}", 2, 20, `"0.001s" is twice among the values of rtt`, ""},
		{"a key twice", "name: x\nseed: 1\nseed: 2", 3, 1, `"seed" is given twice`, ""},
		{"a list in one value", "name: x\npaths: {rtt: '1ms,2ms'}", 2, 14, `"1ms,2ms"`, "[a, b]"},
		{"bad algorithm", "name: x\narms: {cc: 'bb r'}", 2, 12, `not the name of a congestion control`, "cubic or bbr"},
		{"bad kind", "name: x\ntraffic: {kind: streaming}", 2, 17, `"streaming" is not a kind of traffic`, "paced, bulk or chunked"},
		{"rate of bulk", "name: x\ntraffic: {kind: bulk, rate: 1mbit}", 2, 23, `has no rate`, ""},
		{"chunk of paced", "name: x\ntraffic: {kind: paced, rate: 1mbit, chunk: 2s}", 2, 37, `only chunked traffic has chunks`, ""},
		{"paced without rate", "name: x\ntraffic: {kind: paced}", 2, 10, `paced traffic needs a rate`, ""},
		{"omit everything", "name: x\ntraffic: {duration: 2s, omit: 2s}", 2, 25, `cannot omit`, ""},
		{"reads without a size", "name: x\ntraffic: {read_every: 1ms}", 2, 11, `need a size`, ""},
		{"queue without rate", "name: x\npaths: {queue: 1bdp}", 2, 8, `a queue needs a bottleneck`, "rate="},
		{"order without jitter", "name: x\npaths: {order: free}", 2, 8, `there is none`, "jitter="},
		{"misspelt episode key", "name: x\npaths:\n  schedule: {every: 15s, fro: 200ms, rtt: +50ms}", 3, 26, `unknown key "fro" of an episode: did you mean for?`, "every, for, rtt"},
		{"episode's unit", "name: x\npaths:\n  schedule:\n    - {every: 15s, for: 200ms, rtt: +50ms}\n    - [{every: 15s, for: 1s, loss: 5%}, {at: 5s, rtt: +50}]", 5, 55, `"+50" is not a duration`, "+50ms"},
		{"episode without an end", "name: x\npaths: {schedule: {every: 15s, loss: 1%}}", 2, 19, `does not say for how long`, "for: 200ms"},
		{"episode of nothing", "name: x\npaths: {schedule: [{at: 15s}]}", 2, 20, `changes nothing`, "rtt: +50ms"},
		{"episode with an axis", "name: x\npaths: {schedule: {at: 15s, loss: [1%, 2%]}}", 2, 35, `loss is not a single value`, "no axes"},
		{"no episodes", "name: x\npaths: {schedule: [[]]}", 2, 20, `the schedule has no episodes`, "or none"},
		{"schedule as text", "name: x\npaths: {schedule: every 15s for 1m loss=1%}", 2, 19, `leaves less than 1ms`, "every 15s for 200ms"},
		{"schedules that are the same", "name: x\npaths: {schedule: [{at: 1s, loss: 1%}, at 1000ms loss=1.0%]}", 2, 40, `twice among the values of schedule`, ""},
		{"schedule of a rate without one", "name: x\npaths: {schedule: {at: 15s, rate: 1mbit}}", 2, 8, `changes a bottleneck's rate, but there is none`, "rate="},
		{"queue smaller than any frame", "name: x\npaths: {rate: 9mbit, queue: [64KiB, 1000]}", 2, 37, `too small for a full frame`, "1000p"},
		{"bucket smaller than a frame", "name: x\npaths: {mtu: 9000, policer: '9mbit:4KiB'}", 2, 8, `full frame of 9014 bytes`, "9014 bytes or more"},
		{"schedule of UDP's rate without one", "name: x\npaths: {schedule: {at: 15s, udp.rate: 1mbit}}", 2, 8, `changes UDP's rate, but there is none`, "udp.rate="},
		{"repeat 0", "name: x\nrepeat: 0", 2, 9, `"0" is not a number from 1`, ""},
		{"until_ci without sense", "name: x\nuntil_ci: 100%", 2, 11, `"100%"`, "such as 5%"},
		{"series too dense", "name: x\nseries: 1us", 2, 9, `"1us"`, "from 1ms"},
		{"no name", "paths: {rtt: 1ms}", 1, 1, `the sweep has no name`, "name:"},
		{"bad name", "name: a/b", 1, 7, `"a/b" is not a valid name`, "letters"},
		{"unknown preset", "name: x\nsweeps: [{preset: chaoss}]", 2, 19, `unknown preset "chaoss": did you mean chaos?`, "starlink"},
		{"sweeps twice", "name: x\nsweeps: [{preset: chaos}, {preset: chaos}]", 2, 27, `a second sweep is called "chaos"`, ""},
		{"no sweeps", "name: x\nsweeps: []", 2, 9, `not a list of sweeps`, ""},
		{"a share without its unit", "name: x\npaths: {loss: [0%, 0.5]}", 2, 20, `write 0.5% or 50%`, "0.5%"},
		{"preset with keys", "name: x\nsweeps: [{preset: chaos, repeat: 3}]", 2, 11, `a preset has no other keys`, ""},
		{"the same runs twice", "name: x\nsweeps:\n  - {name: a, paths: {rtt: 1ms}}\n  - {name: b, paths: {rtt: 1ms}}", 4, 5, `is also in sweep "a"`, "different seeds"},
		{"nothing left", "name: x\npaths: {rtt: [1ms]}\nexclude: [{paths: {rtt: 1ms}}]", 1, 1, `every cell of the sweep is excluded`, ""},
		{"excludes what is not there", "name: x\npaths: {rtt: [1ms]}\nexclude: [{paths: {rtt: 2ms}}]", 3, 25, `not one of the values of rtt`, ""},
		{"excludes by what is not there", "name: x\npaths: {rtt: [1ms]}\nexclude: [{arms: {cc: bbr}}]", 3, 19, `no "cc" to exclude by`, ""},
		{"excludes everything", "name: x\nexclude: [{}]", 2, 11, `leaves out everything`, ""},
		{"no YAML", "name: x\npaths: {rtt: [1ms, 2ms\nseed: 1", 3, 5, `not YAML: `, ""},
		{"tab", "name: x\npaths:\n\trtt: 1ms", 3, 1, `not YAML: `, ""},
		{"empty", "", 1, 1, `the file is empty`, "a name"},
		{"comments alone", "\ufeff# a\n\n  # b", 1, 1, `the file is empty`, "a name"},
		{"nothing in its document", "---\n", 2, 1, `a sweep is not a mapping`, ""},
		{"no text", "name: x\npaths: {rtt: é\xff}", 2, 15, `the byte 0xff is not text`, "UTF-8"},
		{"control characters", "name: x\n\x00", 2, 1, `the control character U+0000`, ""},
		{"two documents", "name: x\n---\nname: y", 1, 1, `no sweep: expected single document`, "one YAML document"},
		{"merged keys", "name: x\npaths: {<<: {rtt: 1ms}}", 2, 9, `unknown key "<<" of paths`, "rtt"},
		{"a list of aliases of lists", "name: x\npaths: {rtt: &a [1ms, 2ms], jitter: [*a, *a]}", 2, 14, `jitter is not a single value`, ""},
		{"aliases of a long list", aliasBomb(), 4, 24, `more than 100000 values`, "several files"},
		{"a list", "- name: x", 1, 1, `a sweep is not a mapping`, "paths"},
		{"an alias to itself", "name: x\npaths: {rtt: &a [*a]}", 2, 14, `not a single value`, ""},
		{"too large", "name: x\npaths: {mtu: [1300, 1400, 1500]}\nrepeat: 1000000\nsweeps: [{name: a, repeat: 1000000, paths: {rtt: [1ms, 2ms, 3ms, 4ms, 5ms]}}, {name: b, repeat: 1000000, paths: {rtt: [1ms, 2ms, 3ms, 4ms, 5ms, 6ms]}}]", 4, 10, `more than 10000000 runs`, ""},
	} {
		f, err := Parse("x.yaml", []byte(c.text))
		if err == nil {
			_, err = f.Grid()
		}
		wrong, ok := errors.AsType[*FileError](err)
		if !ok {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		if wrong.Line != c.line || wrong.Column != c.column || !strings.Contains(wrong.Problem, c.problem) || !strings.Contains(wrong.Allowed, c.allowed) {
			t.Errorf("%s: %v (allowed: %s); want %d:%d: %s (%s)", c.name, err, wrong.Allowed, c.line, c.column, c.problem, c.allowed)
		}
	}
}

// Every key of every section can be an axis: two values of it make two cells
// and a column.
func TestEveryKeyIsAnAxis(t *testing.T) {
	const (
		bulk    = "traffic: {kind: bulk}"
		paced   = "traffic: {kind: paced, rate: 1mbit}"
		limited = "paths: {rate: 10mbit, rtt: 1ms}"
		shaken  = "paths: {rtt: 20ms, jitter: 1ms}"
	)
	// The axis, and what the sweep needs beside it.
	axes := map[string]struct{ values, beside string }{
		"path.rtt": {"[1ms, 2ms]", ""}, "path.jitter": {"[0ms, 1ms]", ""},
		"path.dist": {"[normal, pareto]", shaken}, "path.order": {"[keep, free]", shaken},
		"path.loss": {"['0%', 'ge:0.1%:25%']", ""}, "path.rate": {"[1mbit, 2mbit]", ""},
		"path.queue": {"[10p, 1bdp]", limited}, "path.policer": {"['1mbit:8KiB', '2mbit:8KiB']", ""},
		"path.cross": {"[none, 2xcubic+5mbit]", limited}, "path.sqm": {"['none', '9mbit:cake']", ""},
		"path.tunnel": {"[none, wireguard]", ""}, "path.mtu": {"[1400, 1500]", ""}, "path.udp.loss": {"[0%, 2%]", ""}, "path.udp.rate": {"[1mbit, 2mbit]", ""}, "path.udp.policer": {"['1mbit:8KiB', '2mbit:8KiB']", ""}, "path.pmtud": {"[on, off]", "paths: {mtu: 1400}"},
		"path.schedule": {"", ""}, // lists of lists: see the tests of schedules; of kinds, which take other keys: below
		"traffic.kind":  {"", ""}, "traffic.rate": {"[1mbit, 2mbit]", "traffic: {kind: paced}"},
		"traffic.write": {"[1KiB, 2KiB]", paced}, "traffic.catch_up": {"[true, false]", paced},
		"traffic.chunk": {"[1s, 2s]", "traffic: {kind: chunked, rate: 1mbit}"}, "traffic.send_buffer": {"[64KiB, 1MiB]", bulk},
		"traffic.receive_buffer": {"[64KiB, 1MiB]", bulk}, "traffic.read": {"[1KiB, 2KiB]", bulk},
		"traffic.read_every": {"[1ms, 2ms]", "traffic: {read: 1KiB}"}, "traffic.duration": {"[1s, 2s]", bulk}, "traffic.omit": {"[0s, 1s]", bulk},
		"arm.cc": {"[cubic, bbr]", ""}, "arm.streams": {"[1, 4]", ""}, "arm.neighbor": {"[none, cubic]", ""},
	}
	for _, words := range []vocabulary{pathWords, trafficWords, armWords} {
		for _, key := range words.words {
			name := words.axis + "." + key
			c, ok := axes[words.axis+"."+baseKey(key)]
			if !ok {
				t.Errorf("%s is not tested", name)
			}
			if c.values == "" {
				continue
			}
			beside := c.beside
			switch inner, found := strings.CutPrefix(beside, words.section+": {"); {
			case found:
				beside = fmt.Sprintf("%s: {%s: %s, %s", words.section, key, c.values, inner)
			default:
				beside += fmt.Sprintf("\n%s: {%s: %s}", words.section, key, c.values)
			}
			_, g := mustGrid(t, "name: x\n"+strings.TrimSpace(beside))
			if len(g.Cells) != 2 || !slices.Equal(g.Axes, []string{name}) || g.Cells[0].Axes[0] == g.Cells[1].Axes[0] {
				t.Errorf("%s: %d cells, axes %v", name, len(g.Cells), g.Axes)
			}
		}
	}
	_, g := mustGrid(t, "name: x\nsweeps: [{name: a, traffic: {kind: [bulk]}}, {name: b, traffic: {kind: [paced, chunked], rate: 1mbit}}]")
	if len(g.Cells) != 3 || g.Cells[2].Axes[1] != "chunked" {
		t.Errorf("kinds: %+v", g)
	}
}

// aliasBomb is a small file whose aliases stand for 400 million values.
func aliasBomb() string {
	var b strings.Builder
	b.WriteString("name: x\nsweeps:\n  - {name: s, paths: {rtt: &a [0ms")
	for i := range 40_000 {
		fmt.Fprintf(&b, ",%dus", i+1)
	}
	b.WriteString("], jitter: *a}}\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "  - {name: s%d, paths: {rtt: *a}}\n", i)
	}
	return b.String()
}

func TestCheckAlgorithms(t *testing.T) {
	f, _ := mustGrid(t, "name: x\narms:\n  cc: [cubic, bbr3]\n  neighbor: [none, reno]")
	if !f.UsesAlgorithms() {
		t.Error("names no algorithms")
	}
	if err := f.CheckAlgorithms([]string{"reno", "cubic", "bbr3"}); err != nil {
		t.Error(err)
	}
	err := f.CheckAlgorithms([]string{"reno", "cubic", "bbr"})
	if want := `test.yaml:3:15: the kernel has no congestion control "bbr3": did you mean bbr?`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	err = f.CheckAlgorithms([]string{"cubic", "bbr3"})
	if want := `test.yaml:4:20: the kernel has no congestion control "reno"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestPointer(t *testing.T) {
	got := (&FileError{Column: 5, Text: "\té: x"}).Pointer()
	if want := "\té: x\n\t   ^"; got != want {
		t.Errorf("pointer\n%q, want\n%q", got, want)
	}
	got = (&FileError{Column: 2, Text: "a\x1b[2J"}).Pointer()
	if want := "a\ufffd[2J\n ^"; got != want {
		t.Errorf("pointer\n%q, want\n%q", got, want)
	}
}

func TestPresets(t *testing.T) {
	runs := map[string]int{"article": 1640, "baseline": 80, "jitter-cliff": 420, "chaos": 400, "loss": 140, "starlink": 600, "handover": 120}
	entries, err := presetFiles.ReadDir("presets")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Presets()
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(all) {
		t.Errorf("%d files for %d presets", len(entries), len(all))
	}
	for _, p := range all {
		f, err := Load(p.Name)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if p.Description == "" {
			t.Errorf("%s has no description", p.Name)
		}
		g, err := f.Grid()
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if want, ok := runs[p.Name]; ok && f.Runs() != want {
			t.Errorf("%s has %d runs, want %d", p.Name, f.Runs(), want)
		}
		roundTrip(t, f, g)
	}
}

// Every cell of which the article's runs are known is in the article preset,
// run as often.
func TestArticleHasTheReference(t *testing.T) {
	f, err := Load("article")
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Grid()
	if err != nil {
		t.Fatal(err)
	}
	for sweep, runs := range map[string][]reference.Run{"jitter-cliff": reference.Jitter(), "loss": reference.Loss()} {
		left := map[string]int{}
		for _, c := range g.Cells {
			if c.Sweep == sweep {
				if c.Traffic.Kind != traffic.Paced || c.Traffic.Duration != 10*time.Second {
					t.Errorf("%s: %+v is not the article's traffic", sweep, c.Traffic)
				}
				left[c.Path.String()+" "+c.Arm.CC+" "+c.Traffic.Rate.String()] += c.Repeat
			}
		}
		for _, r := range runs {
			left[r.Path.String()+" "+r.CC+" "+r.Rate.String()]--
		}
		for cell, n := range left {
			if n != 0 {
				t.Errorf("%s: %s has %d runs more than the reference", sweep, cell, n)
			}
		}
	}
}

// roundTrip checks that a resolved file makes the same grid.
func roundTrip(t *testing.T, f File, g grid.Grid) {
	t.Helper()
	text := f.YAML()
	back, err := Parse("resolved", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if again := back.YAML(); string(again) != string(text) {
		t.Errorf("resolved again:\n%s\nwant\n%s", again, text)
	}
	grid, err := back.Grid()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !reflect.DeepEqual(grid, g) {
		t.Errorf("another grid of\n%s", text)
	}
	if back.Series != f.Series || back.UntilCI != f.UntilCI || back.Name != f.Name {
		t.Errorf("%+v, want %+v", back, f)
	}
}

func TestYAML(t *testing.T) {
	for _, text := range []string{
		chaosFile,
		"name: x\nuntil_ci: 2.5%\nseries: 100ms\npaths: {loss: ['ge:0.1%:25%', 1%], dist: 'file:/a b.dist', jitter: 1ms, mtu: 1400}\nexclude: [{paths: {loss: 1%}}]",
		"name: x\ndescription: \"a: 'b' \\\"c\\\"\"\nsweeps: [{name: a}, {preset: starlink}]",
		"name: y\nuntil_ci: 0.05\ntraffic: {kind: chunked, rate: 5mbit, chunk: 2s}\narms: {neighbor: [none, cubic], streams: [1, 4]}",
	} {
		f, g := mustGrid(t, text)
		roundTrip(t, f, g)
	}
}

func TestRunsDoNotOverflow(t *testing.T) {
	values := make([]Value, 1<<10)
	section := Section{Settings: slices.Repeat([]Setting{{Values: values}}, 7)}
	f := File{Sweeps: []Sweep{{Repeat: 1, Paths: section}}}
	if n := f.Runs(); n != math.MaxInt {
		t.Errorf("1024⁷ runs: %d", n)
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct {
		word string
		want string
	}{{"jiter", "jitter"}, {"jittre", "jitter"}, {"Loss", "loss"}, {"bandwidth", ""}, {"rt", "rtt"}, {"", ""}} {
		got := suggest(c.word, []string{"rtt", "jitter", "loss"})
		if want := ": did you mean " + c.want + "?"; c.want == "" && got != "" || c.want != "" && got != want {
			t.Errorf("suggest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

// No file makes the decoder panic or take long, and what it takes it can print
// and take again.
func FuzzParse(f *testing.F) {
	f.Add(chaosFile)
	f.Add("name: x\nuntil_ci: 2.5%\nsweeps: [{preset: loss}, {name: a, paths: {loss: ['ge:0.1%:25%']}}]")
	f.Add("name: x\npaths: {jitter: [0ms, 1ms], order: free, up.jitter: 2ms, queue: 1bdp, rate: 1mbit}\nexclude: [{paths: {jitter: 0s}}]")
	f.Add("name: x\npaths: {jitter: [0s], order: free, rate: 9mbit, schedule: [none, {every: 15s, for: 1s, rtt: +50ms}, [{at: 1s, up.loss: 1%}, {at: 2s, rate: 1mbit}], at 1s jitter=1ms]}")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("fuzz", []byte(text))
		if err != nil {
			var wrong *FileError
			if !errors.As(err, &wrong) {
				t.Errorf("%v is no *FileError", err)
			} else {
				_ = wrong.Pointer()
			}
			return
		}
		if file.Runs() > 10_000 {
			return
		}
		g, err := file.Grid()
		if err != nil {
			return
		}
		roundTrip(t, file, g)
	})
}
