package language

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/words"
)

// Runs is how many runs the file asks for, the exclusions left aside, or
// math.MaxInt where that is too many to count.
func (f File) Runs() int {
	total := 0
	for i := range f.Sweeps {
		n := f.Sweeps[i].Repeat
		for _, words := range []vocabulary{pathWords, trafficWords, armWords} {
			for _, set := range f.Sweeps[i].section(words).Settings {
				if n > math.MaxInt/len(set.Values) {
					return math.MaxInt
				}
				n *= len(set.Values)
			}
		}
		if total > math.MaxInt-n {
			return math.MaxInt
		}
		total += n
	}
	return total
}

// VirtualTime is how long the file's runs last together, the exclusions left
// aside, or the longest time.Duration where that is more.
func (f File) VirtualTime() time.Duration {
	total := 0.0 // seconds
	for _, s := range f.Sweeps {
		one := File{Sweeps: []Sweep{s}}
		total += float64(one.Runs()) * s.duration().Seconds()
	}
	if total >= time.Duration(math.MaxInt64).Seconds() {
		return math.MaxInt64
	}
	return time.Duration(total * float64(time.Second))
}

// duration is the mean of a sweep's runs.
func (s Sweep) duration() time.Duration {
	set, ok := s.Traffic.find("duration")
	if !ok {
		return defaultDuration
	}
	var total time.Duration
	for _, v := range set.Values {
		d, err := grid.ParseDuration(v.Text)
		if err != nil || d == 0 {
			d = defaultDuration
		}
		total += d
	}
	return total / time.Duration(len(set.Values))
}

// Grid makes the file's cells. An error of the file is a *FileError.
func (f File) Grid() (grid.Grid, error) {
	if n := f.Runs(); n > grid.MaxRuns {
		return grid.Grid{}, f.Sweeps[0].at.errorf("leave out values, or make several files", "the grid has more than %d runs", grid.MaxRuns)
	}
	g := grid.Grid{Axes: f.axes()}
	seen := map[[sha256.Size]byte]string{}
	for _, s := range f.Sweeps {
		before := len(g.Cells)
		if err := s.cells(&g, seen); err != nil {
			return grid.Grid{}, err
		}
		if len(g.Cells) == before {
			return grid.Grid{}, s.at.errorf("exclude less", "every cell of the sweep is excluded")
		}
	}
	return g, nil
}

// axes names the columns of all sweeps' axes, in the order in which the file
// comes to them.
func (f File) axes() []string {
	var out []string
	if f.Several {
		out = append(out, grid.SweepColumn)
	}
	for i := range f.Sweeps {
		for _, words := range []vocabulary{pathWords, trafficWords, armWords} {
			for _, set := range f.Sweeps[i].section(words).Settings {
				if name := words.axis + "." + set.Key; set.Axis && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// choice is the value that a cell has of a setting.
type choice struct {
	column string
	key    string
	value  Value
}

// combinations calls each with every choice of one value a setting, the last
// setting's values turning fastest.
func combinations(words vocabulary, settings []Setting, each func([]choice) error) error {
	chosen := make([]choice, len(settings))
	var choose func(i int) error
	choose = func(i int) error {
		if i == len(settings) {
			return each(chosen)
		}
		for _, v := range settings[i].Values {
			chosen[i] = choice{words.axis + "." + settings[i].Key, settings[i].Key, v}
			if err := choose(i + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return choose(0)
}

// cells adds the sweep's cells to the grid; seen are those of all sweeps.
func (s Sweep) cells(g *grid.Grid, seen map[[sha256.Size]byte]string) error {
	for _, x := range s.Exclude {
		for _, words := range []vocabulary{pathWords, trafficWords, armWords} {
			if err := x.section(words).within(*s.section(words)); err != nil {
				return err
			}
		}
	}
	return combinations(pathWords, s.Paths.Settings, func(paths []choice) error {
		p, err := s.path(paths)
		if err != nil {
			return err
		}
		return combinations(trafficWords, s.Traffic.Settings, func(loads []choice) error {
			load, err := s.load(loads)
			if err != nil {
				return err
			}
			return combinations(armWords, s.Arms.Settings, func(arms []choice) error {
				if s.excluded(paths, loads, arms) {
					return nil
				}
				arm, err := s.arm(arms)
				if err != nil {
					return err
				}
				c := grid.Cell{
					Index: len(g.Cells), Sweep: s.Name, Base: s.Seed, Repeat: s.Repeat,
					Path: p, Traffic: load, Arm: arm,
					Axes: s.values(g.Axes, slices.Concat(paths, loads, arms)),
				}
				id := sha256.Sum256(fmt.Append(nil, s.Seed, " ", p, " ", grid.TrafficText(load), " ", arm))
				if other, twice := seen[id]; twice {
					return s.at.errorf("give the sweeps different seeds, or exclude the cell from one",
						"the cell %s is also in sweep %q with the same seed: the same runs twice", strings.TrimSpace(fmt.Sprint(p, " ", arm)), other)
				}
				seen[id] = s.Name
				g.Cells = append(g.Cells, c)
				return nil
			})
		})
	})
}

// values are a cell's values of the axes.
func (s Sweep) values(axes []string, chosen []choice) []string {
	out := make([]string, len(axes))
	for i, name := range axes {
		if name == grid.SweepColumn {
			out[i] = s.Name
		}
		for _, c := range chosen {
			if c.column == name {
				out[i] = c.value.Text
			}
		}
	}
	return out
}

// path is the path of the chosen values.
func (s Sweep) path(chosen []choice) (path.Path, error) {
	spec := pathSpec(chosen)
	p, err := path.Parse(spec)
	if wrong, ok := errors.AsType[*path.ParseError](err); ok {
		at, allowed := s.Paths.at, wrong.Allowed
		return p, at.errorf(allowed, "path %q: %s", spec, wrong.Problem)
	}
	return p, err
}

// pathSpec is the text of the chosen values: those for both directions first,
// as the path language has it. A grid whose jitter goes down to 0 has no shape
// of a jitter there.
func pathSpec(chosen []choice) string {
	var items []string
	add := func(key, value string) {
		if !slices.Contains([]string{"dist", "order"}, baseKey(key)) {
			items = append(items, key+"="+value)
			return
		}
		up, down := jitters(chosen, "up."), jitters(chosen, "down.")
		switch {
		case strings.HasPrefix(key, "up.") && up, strings.HasPrefix(key, "down.") && down, key == baseKey(key) && up && down:
			items = append(items, key+"="+value)
		case key == baseKey(key) && up:
			items = append(items, "up."+key+"="+value)
		case key == baseKey(key) && down:
			items = append(items, "down."+key+"="+value)
		}
	}
	for _, c := range chosen {
		if c.key == baseKey(c.key) {
			add(c.key, c.value.Text)
		}
	}
	for _, c := range chosen {
		if c.key != baseKey(c.key) {
			add(c.key, c.value.Text)
		}
	}
	return strings.Join(items, ",")
}

// jitters says whether the choice leaves a direction room for a shape of its
// jitter: not where jitter is chosen to be 0 and no schedule changes the delay.
// Where no jitter is chosen at all the path language has its say.
func jitters(chosen []choice, direction string) bool {
	given, text := false, ""
	for _, c := range chosen {
		if c.key == path.ScheduleKey && delays(c.value.Text, direction) {
			return true
		}
		if c.key == "jitter" && !given || c.key == direction+"jitter" {
			given, text = true, c.value.Text
		}
	}
	if !given {
		return true
	}
	d, err := time.ParseDuration(text)
	return err != nil || d != 0
}

// delays says whether a schedule changes a direction's delay.
func delays(schedule, direction string) bool {
	s, err := path.ParseSchedule(schedule)
	if err != nil {
		return false // the path language says what is wrong
	}
	up, down := s.Delays()
	return direction == "up." && up || direction == "down." && down
}

// baseKey is a path's key without its direction.
func baseKey(key string) string {
	return strings.TrimPrefix(strings.TrimPrefix(key, "up."), "down.")
}

// load is the traffic of the chosen values.
func (s Sweep) load(chosen []choice) (traffic.Spec, error) {
	spec, err := set(grid.TrafficKeys, chosen)
	if err != nil {
		return spec, err
	}
	key, problem := completeTraffic(&spec)
	if problem == "" {
		return spec, nil
	}
	at := s.Traffic.at
	if wrong, ok := s.Traffic.find(key); ok {
		at = wrong.at
	}
	if at.line == 0 {
		at = s.at
	}
	return spec, at.errorf("docs/lab-run.md lists the keys of each kind of traffic", "%s", problem)
}

func (s Sweep) arm(chosen []choice) (grid.Arm, error) { return set(grid.ArmKeys, chosen) }

func set[T any](keys words.Keys[T], chosen []choice) (T, error) {
	var out T
	for _, c := range chosen {
		k, ok := keys.Find(c.key)
		if !ok {
			continue
		}
		if err := k.Set(&out, c.value.Text); err != nil {
			return out, c.value.at.errorf(k.Allowed, "bad value for %s: %v", k.Name, err)
		}
	}
	return out, nil
}

// excluded says whether one of the exclusions has the chosen values.
func (s Sweep) excluded(paths, loads, arms []choice) bool {
	return slices.ContainsFunc(s.Exclude, func(x Exclusion) bool {
		return x.Paths.matches(paths) && x.Traffic.matches(loads) && x.Arms.matches(arms)
	})
}

// matches says whether the chosen values are among the section's, for every
// key that it has.
func (s Section) matches(chosen []choice) bool {
	for _, set := range s.Settings {
		if !slices.ContainsFunc(chosen, func(c choice) bool {
			return c.key == set.Key && slices.ContainsFunc(set.Values, func(v Value) bool { return v.canon == c.value.canon })
		}) {
			return false
		}
	}
	return true
}

// within finds a key or a value of an exclusion that the grid does not have.
func (s Section) within(grid Section) error {
	for _, set := range s.Settings {
		of, ok := grid.find(set.Key)
		if !ok {
			return set.at.errorf("exclude by keys that the sweep sets", "the sweep has no %q to exclude by", set.Key)
		}
		for _, v := range set.Values {
			if !slices.ContainsFunc(of.Values, func(other Value) bool { return other.canon == v.canon }) {
				return v.at.errorf("exclude values that the sweep has", "%q is not one of the values of %s", v.Text, set.Key)
			}
		}
	}
	return nil
}
