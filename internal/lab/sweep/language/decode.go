package language

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// Limits of a sweep file.
const (
	maxFile   = 1 << 20 // bytes
	maxRepeat = 1_000_000
	maxName   = 60
	maxValues = 100_000 // of all axes; an alias counts as what it stands for
)

// Words of a file beside its sections.
var (
	fileWords  = []string{"name", "description", "until_ci", "series", "sweeps"}
	sweepWords = []string{"name", "description", "paths", "traffic", "arms", "repeat", "seed", "exclude"}
)

// presetWord stands for a whole sweep in a list of them.
const presetWord = "preset"

// Parse reads a sweep file; name is for its errors, which are *FileError.
func Parse(name string, data []byte) (File, error) {
	d := &decoder{file: name, lines: strings.Split(string(data), "\n")}
	return d.parse(data)
}

type decoder struct {
	file   string
	lines  []string
	values int // read so far
}

func (d *decoder) at(line, column int) place {
	p := place{file: d.file, line: max(line, 1), column: max(column, 1)}
	if p.line <= len(d.lines) {
		p.text = strings.TrimRight(d.lines[p.line-1], "\r")
	}
	return p
}

func (d *decoder) place(n *yaml.Node) place { return d.at(n.Line, n.Column) }

func (d *decoder) parse(data []byte) (File, error) {
	if len(data) > maxFile {
		return File{}, d.at(1, 1).errorf("", "a sweep file of more than %d bytes", maxFile)
	}
	if err := d.readable(); err != nil {
		return File{}, err
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		return File{}, d.syntax(err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return File{}, d.at(1, 1).errorf(sweepAllowed, "no sweep")
	}
	return d.document(doc.Content[0])
}

const sweepAllowed = `a sweep has a name, and paths or arms; docs/lab-run.md lists its keys`

// readable finds what the YAML reader would refuse without saying where: bytes
// that are no text, and a file that has nothing but comments.
func (d *decoder) readable() error {
	empty := true
	for i, line := range d.lines {
		column := 0
		for j, r := range line {
			column++
			if r == utf8.RuneError && !strings.HasPrefix(line[j:], string(utf8.RuneError)) {
				return d.at(i+1, column).errorf("a sweep file is text in UTF-8", "the byte %#02x is not text", line[j])
			}
			if unicode.IsControl(r) && r != '\t' && r != '\r' {
				return d.at(i+1, column).errorf("a sweep file is text in UTF-8", "the control character %U is not allowed in YAML", r)
			}
		}
		content := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		empty = empty && (content == "" || content[0] == '#')
	}
	if empty {
		return d.at(1, 1).errorf(sweepAllowed, "the file is empty")
	}
	return nil
}

// syntax is an error of the YAML reader with its place.
func (d *decoder) syntax(err error) error {
	var several *yaml.LoadErrors
	if errors.As(err, &several) && len(several.Errors) > 0 {
		err = several.Errors[0]
	}
	wrong, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return d.at(1, 1).errorf("one YAML document", "no sweep: %v", err)
	}
	problem := strings.TrimPrefix(wrong.Message, "yaml: ")
	if wrong.ContextMsg != "" {
		problem += " " + wrong.ContextMsg
	}
	if wrong.Mark.Line == 0 { // it is about the whole file
		return d.at(1, 1).errorf("one YAML document", "no sweep: %s", problem)
	}
	return d.at(wrong.Mark.Line, wrong.Mark.Column).errorf(sweepAllowed, "not YAML: %s", problem)
}

// pair is one key of a mapping.
type pair struct {
	key   string
	at    place // of the key
	value *yaml.Node
}

// mapping lists the pairs of a mapping whose keys are among the words.
func (d *decoder) mapping(n *yaml.Node, what string, words []string) ([]pair, error) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return nil, d.place(n).errorf("keys are "+oneOf(bare(words)), "%s is not a mapping of keys to values", what)
	}
	var pairs []pair
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		e := pair{k.Value, d.place(k), resolve(n.Content[i+1])}
		if k.Kind != yaml.ScalarNode || !slices.Contains(words, e.key) {
			allowed := "keys of " + what + " are " + oneOf(bare(words))
			if len(bare(words)) < len(words) {
				allowed += "; with up. or down. a key applies to that direction"
			}
			return nil, e.at.errorf(allowed, "unknown key %q of %s%s", e.key, what, suggest(e.key, words))
		}
		if slices.ContainsFunc(pairs, func(other pair) bool { return other.key == e.key }) {
			return nil, e.at.errorf("each key once", "%q is given twice", e.key)
		}
		pairs = append(pairs, e)
	}
	return pairs, nil
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (d *decoder) scalar(n *yaml.Node, what, allowed string) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", d.place(n).errorf(allowed, "%s is not a single value", what)
	}
	return n.Value, nil
}

func (d *decoder) document(n *yaml.Node) (File, error) {
	f := File{}
	words := append(slices.Clone(fileWords), slices.DeleteFunc(slices.Clone(sweepWords), func(w string) bool { return slices.Contains(fileWords, w) })...)
	pairs, err := d.mapping(n, "a sweep", words)
	if err != nil {
		return f, err
	}
	base := Sweep{Seed: 1, Repeat: 1, at: d.place(n)}
	var list *yaml.Node
	for _, e := range pairs {
		switch e.key {
		case "until_ci":
			f.UntilCI, err = d.share(e)
		case "series":
			f.Series, err = d.interval(e)
		case "sweeps":
			list = e.value
		default:
			err = d.sweepKey(&base, e)
		}
		if err != nil {
			return f, err
		}
	}
	if base.Name == "" {
		return f, base.at.errorf("add name: followed by a word for the results", "the sweep has no name")
	}
	f.Name, f.Description = base.Name, base.Description
	if list == nil {
		base.Name, base.Description = "", ""
		f.Sweeps = []Sweep{base}
		return f, nil
	}
	f.Several = true
	f.Sweeps, err = d.list(list, base)
	return f, err
}

// list reads the sweeps of a file; base holds what they have in common.
func (d *decoder) list(n *yaml.Node, base Sweep) ([]Sweep, error) {
	const allowed = "a list of sweeps, each with a name and its sections, or with preset: and a preset's name"
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, d.place(n).errorf(allowed, "sweeps is not a list of sweeps")
	}
	var all []Sweep
	seen := map[string]bool{}
	for _, item := range n.Content {
		found, err := d.listed(resolve(item), base)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			if seen[s.Name] {
				return nil, d.place(item).errorf("give each sweep its own name", "a second sweep is called %q", s.Name)
			}
			seen[s.Name] = true
			all = append(all, s)
		}
	}
	return all, nil
}

func (d *decoder) listed(n *yaml.Node, base Sweep) ([]Sweep, error) {
	pairs, err := d.mapping(n, "a listed sweep", append(slices.Clone(sweepWords), presetWord))
	if err != nil {
		return nil, err
	}
	for _, e := range pairs {
		if e.key != presetWord {
			continue
		}
		if len(pairs) > 1 {
			return nil, e.at.errorf("leave out the other keys", "a preset has no other keys")
		}
		return d.preset(e)
	}
	s := base
	s.Name, s.Description, s.at = "", "", d.place(n)
	for _, e := range pairs {
		if err := d.sweepKey(&s, e); err != nil {
			return nil, err
		}
	}
	if s.Name == "" {
		return nil, s.at.errorf("add name: followed by a word", "the sweep has no name")
	}
	return []Sweep{s}, nil
}

// preset is the sweeps of a preset, under its name.
func (d *decoder) preset(e pair) ([]Sweep, error) {
	name, err := d.scalar(e.value, presetWord, "the name of a preset")
	if err != nil {
		return nil, err
	}
	data, ok := presetData(name)
	if !ok {
		return nil, d.place(e.value).errorf("presets are "+oneOf(presetNames()), "unknown preset %q%s", name, suggest(name, presetNames()))
	}
	if d.file == "preset "+name {
		return nil, d.place(e.value).errorf("name another", "the preset %q lists itself", name)
	}
	f, err := Parse("preset "+name, data)
	if err != nil {
		return nil, err
	}
	if !f.Several {
		f.Sweeps[0].Name, f.Sweeps[0].Description = f.Name, f.Description
	}
	return f.Sweeps, nil
}

func (d *decoder) sweepKey(s *Sweep, e pair) (err error) {
	switch e.key {
	case "name":
		s.Name, err = d.name(e)
	case "description":
		s.Description, err = d.scalar(e.value, e.key, "a text")
	case "repeat":
		s.Repeat, err = d.count(e, maxRepeat)
	case "seed":
		var v string
		if v, err = d.scalar(e.value, e.key, "a number"); err != nil {
			return err
		}
		if s.Seed, err = strconv.ParseUint(v, 10, 64); err != nil {
			return d.place(e.value).errorf("a whole number from 0", "seed %q is not a number", v)
		}
	case "paths":
		s.Paths, err = d.section(e.value, pathWords)
	case "traffic":
		s.Traffic, err = d.section(e.value, trafficWords)
	case "arms":
		s.Arms, err = d.section(e.value, armWords)
	case "exclude":
		s.Exclude, err = d.exclusions(e)
	}
	return err
}

func (d *decoder) name(e pair) (string, error) {
	const allowed = "letters, digits, - and _"
	v, err := d.scalar(e.value, e.key, allowed)
	if err != nil {
		return "", err
	}
	if v == "" || len(v) > maxName || strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return "", d.place(e.value).errorf(allowed, "%q is not a valid name", v)
	}
	return v, nil
}

func (d *decoder) count(e pair, most int) (int, error) {
	allowed := fmt.Sprintf("a whole number from 1 to %d", most)
	v, err := d.scalar(e.value, e.key, allowed)
	if err != nil {
		return 0, err
	}
	n, err := grid.ParseNumber(v, 1, most)
	if err != nil {
		return 0, d.place(e.value).errorf(allowed, "bad value for %s: %v", e.key, err)
	}
	return n, nil
}

func (d *decoder) share(e pair) (unit.Ratio, error) {
	v, err := d.scalar(e.value, e.key, untilCIAllowed)
	if err != nil {
		return 0, err
	}
	r, err := ParseUntilCI(v)
	if err != nil {
		return 0, d.place(e.value).errorf(untilCIAllowed, "bad value for %s: %v", e.key, err)
	}
	return r, nil
}

const untilCIAllowed = "a share of the mean between 0 and 100 %, such as 5%"

// ParseUntilCI reads the value of until_ci.
func ParseUntilCI(v string) (unit.Ratio, error) {
	r, err := unit.ParseRatio(v)
	if err == nil && (r <= 0 || r >= 1) {
		err = fmt.Errorf("%q is not %s", v, untilCIAllowed)
	}
	return r, err
}

func (d *decoder) interval(e pair) (time.Duration, error) {
	v, err := d.scalar(e.value, e.key, seriesAllowed)
	if err != nil {
		return 0, err
	}
	interval, err := ParseSeries(v)
	if err != nil {
		return 0, d.place(e.value).errorf(seriesAllowed, "bad value for %s: %v", e.key, err)
	}
	return interval, nil
}

const seriesAllowed = "the time between two samples, from 1ms on, such as 100ms"

// ParseSeries reads the value of series.
func ParseSeries(v string) (time.Duration, error) {
	interval, err := grid.ParseDuration(v)
	if err == nil && interval < time.Millisecond {
		err = fmt.Errorf("%q is not %s", v, seriesAllowed)
	}
	return interval, err
}

// section reads the keys of a section; a list makes an axis.
func (d *decoder) section(n *yaml.Node, words vocabulary) (Section, error) {
	s := Section{at: d.place(n)}
	pairs, err := d.mapping(n, words.section, words.words)
	if err != nil {
		return s, err
	}
	for _, e := range pairs {
		set := Setting{Key: e.key, at: e.at, Axis: e.value.Kind == yaml.SequenceNode}
		items := []*yaml.Node{e.value}
		if set.Axis {
			items = e.value.Content
		}
		if len(items) == 0 {
			return s, d.place(e.value).errorf("give at least one value, or leave "+e.key+" out", "the axis %q has no values", e.key)
		}
		if d.values += len(items); d.values > maxValues {
			return s, e.at.errorf("leave out values, or make several files", "the file has more than %d values", maxValues)
		}
		seen := map[string]bool{}
		for _, item := range items {
			v, err := d.value(resolve(item), e.key, words)
			if err != nil {
				return s, err
			}
			if seen[v.canon] {
				return s, v.at.errorf("each value once", "%q is twice among the values of %s", v.Text, e.key)
			}
			seen[v.canon] = true
			set.Values = append(set.Values, v)
		}
		s.Settings = append(s.Settings, set)
	}
	return s, nil
}

func (d *decoder) value(n *yaml.Node, key string, words vocabulary) (Value, error) {
	v := Value{at: d.place(n)}
	if key == path.ScheduleKey && n.Kind != yaml.ScalarNode {
		return d.schedule(n)
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return v, v.at.errorf("give a value, or leave "+key+" out", "%q has no value", key)
	}
	var err error
	if v.Text, err = d.scalar(n, key, "a value or a list of values"); err != nil {
		return v, err
	}
	if strings.ContainsAny(v.Text, ",\n\r") {
		return v, v.at.errorf("write several values as a list: [a, b]", "bad value for %s: %q", key, v.Text)
	}
	canon, allowed, err := words.check(key, v.Text)
	if err != nil {
		return v, v.at.errorf(allowed, "%v", err)
	}
	v.canon = canon
	return v, nil
}

func (d *decoder) exclusions(e pair) ([]Exclusion, error) {
	if e.value.Kind != yaml.SequenceNode {
		return nil, d.place(e.value).errorf("a list such as [{paths: {rtt: 24ms}, arms: {cc: bbr}}]", "exclude is not a list")
	}
	var all []Exclusion
	for _, n := range e.value.Content {
		pairs, err := d.mapping(n, "an exclusion", []string{pathWords.section, trafficWords.section, armWords.section})
		if err != nil {
			return nil, err
		}
		var x Exclusion
		keys := 0
		for _, e := range pairs {
			var err error
			var s *Section
			switch e.key {
			case pathWords.section:
				s = &x.Paths
				*s, err = d.section(e.value, pathWords)
			case trafficWords.section:
				s = &x.Traffic
				*s, err = d.section(e.value, trafficWords)
			default:
				s = &x.Arms
				*s, err = d.section(e.value, armWords)
			}
			if err != nil {
				return nil, err
			}
			keys += len(s.Settings)
		}
		if keys == 0 {
			return nil, d.place(n).errorf("name the values of the cells to leave out", "an exclusion without keys leaves out everything")
		}
		all = append(all, x)
	}
	return all, nil
}
