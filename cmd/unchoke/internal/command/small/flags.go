package small

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Flag is a pflag.Flag.
type Flag struct {
	Name, Shorthand string
	Usage           string
	DefValue        string
	Hidden, Changed bool

	kind  kind
	value func() string
	set   func(string) error
}

// kind is a flag's type, as a help writes it where the usage names no value.
type kind string

const (
	boolean  kind = ""
	text     kind = "string"
	texts    kind = "stringArray"
	integer  kind = "int"
	floating kind = "float"
	duration kind = "duration"
)

// FlagSet is a pflag.FlagSet.
type FlagSet struct{ all []*Flag }

func (s *FlagSet) add(f Flag) {
	f.DefValue = f.value()
	s.all = append(s.all, &f)
}

func (s *FlagSet) BoolVar(p *bool, name string, value bool, usage string) {
	s.BoolVarP(p, name, "", value, usage)
}

func (s *FlagSet) BoolVarP(p *bool, name, shorthand string, value bool, usage string) {
	*p = value
	s.add(Flag{
		Name: name, Shorthand: shorthand, Usage: usage, kind: boolean,
		value: func() string { return strconv.FormatBool(*p) },
		set:   parsed(p, strconv.ParseBool, "must be true or false"),
	})
}

func (s *FlagSet) StringVar(p *string, name, value, usage string) {
	*p = value
	s.add(Flag{
		Name: name, Usage: usage, kind: text,
		value: func() string { return *p },
		set:   func(v string) error { *p = v; return nil },
	})
}

// StringArrayVar adds a flag that may be given several times.
func (s *FlagSet) StringArrayVar(p *[]string, name string, value []string, usage string) {
	*p = value
	given := false
	s.add(Flag{
		Name: name, Usage: usage, kind: texts,
		value: func() string { return "[" + strings.Join(*p, ",") + "]" },
		set: func(v string) error {
			if !given {
				*p, given = nil, true
			}
			*p = append(*p, v)
			return nil
		},
	})
}

func (s *FlagSet) IntVar(p *int, name string, value int, usage string) {
	*p = value
	s.add(Flag{
		Name: name, Usage: usage, kind: integer,
		value: func() string { return strconv.Itoa(*p) },
		set: parsed(p, func(v string) (int, error) {
			n, err := strconv.ParseInt(v, 0, 64)
			return int(n), err
		}, "must be an integer"),
	})
}

func (s *FlagSet) Float64Var(p *float64, name string, value float64, usage string) {
	*p = value
	s.add(Flag{
		Name: name, Usage: usage, kind: floating,
		value: func() string { return strconv.FormatFloat(*p, 'g', -1, 64) },
		set: parsed(p, func(v string) (float64, error) {
			return strconv.ParseFloat(v, 64)
		}, "must be a number"),
	})
}

func (s *FlagSet) DurationVar(p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	s.add(Flag{
		Name: name, Usage: usage, kind: duration,
		value: func() string { return p.String() },
		set:   parsed(p, time.ParseDuration, `must be a duration like "30s" or "5m"`),
	})
}

// parsed sets a value to what was typed, or says what was wanted and leaves it.
func parsed[T any](p *T, parse func(string) (T, error), wanted string) func(string) error {
	return func(typed string) error {
		v, err := parse(typed)
		if err != nil {
			return errors.New(wanted)
		}
		*p = v
		return nil
	}
}

func (s *FlagSet) lookup(name string) *Flag {
	for _, f := range s.all {
		if f.Name == name {
			return f
		}
	}
	return nil
}

func (s *FlagSet) short(letter byte) *Flag {
	for _, f := range s.all {
		if f.Shorthand == string(letter) {
			return f
		}
	}
	return nil
}

// Changed says whether a flag was given.
func (s *FlagSet) Changed(name string) bool {
	f := s.lookup(name)
	return f != nil && f.Changed
}

// MarkHidden leaves a flag out of the help.
func (s *FlagSet) MarkHidden(name string) error {
	f := s.lookup(name)
	if f == nil {
		return fmt.Errorf("flag %q does not exist", name)
	}
	f.Hidden = true
	return nil
}

// VisitAll goes through the flags in the order of their names.
func (s *FlagSet) VisitAll(visit func(*Flag)) {
	sort.SliceStable(s.all, func(i, j int) bool { return s.all[i].Name < s.all[j].Name })
	for _, f := range s.all {
		visit(f)
	}
}

// parse sets the flags and returns the other arguments, which may stand among
// them.
func (s *FlagSet) parse(args []string) ([]string, error) {
	rest := []string{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			return append(rest, args...), nil
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		case arg[1] == '-':
			args, err = s.parseLong(arg, args)
		default:
			args, err = s.parseShort(arg[1:], args)
		}
		if err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// parseLong sets the flag of "--name" or "--name=value" and returns the
// arguments after it.
func (s *FlagSet) parseLong(arg string, args []string) ([]string, error) {
	name, value, given := strings.Cut(arg[2:], "=")
	if name == "" || name[0] == '-' {
		return nil, errors.New("bad flag syntax: " + arg)
	}
	f := s.lookup(name)
	switch {
	case f == nil:
		return nil, errors.New("unknown flag: --" + name)
	case given:
	case f.kind == boolean:
		value = "true"
	case len(args) == 0:
		return nil, errors.New("flag needs an argument: --" + name)
	default:
		value, args = args[0], args[1:]
	}
	return args, f.give(value)
}

// parseShort sets the flags of "-abc", "-a=value" or "-avalue", given without
// the dash, and returns the arguments after them.
func (s *FlagSet) parseShort(letters string, args []string) ([]string, error) {
	for letters != "" {
		f, value, more := s.short(letters[0]), letters[1:], ""
		switch {
		case f == nil:
			return nil, fmt.Errorf("unknown shorthand flag: %q in -%s", letters[0], letters)
		case len(value) > 1 && value[0] == '=':
			value = value[1:]
		case f.kind == boolean:
			more, value = value, "true"
		case value != "":
		case len(args) == 0:
			return nil, fmt.Errorf("flag needs an argument: %q in -%s", letters[0], letters)
		default:
			value, args = args[0], args[1:]
		}
		if err := f.give(value); err != nil {
			return nil, err
		}
		letters = more
	}
	return args, nil
}

func (f *Flag) give(value string) error {
	if err := f.set(value); err != nil {
		return fmt.Errorf("invalid argument %q for %q flag: %w", value, f.spelled(), err)
	}
	f.Changed = true
	return nil
}

// spelled is the flag as it is typed.
func (f *Flag) spelled() string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + ", --" + f.Name
	}
	return "--" + f.Name
}

// IsText says that a flag takes any text.
func (f *Flag) IsText() bool { return f.kind == text }

// UnquoteUsage takes the name of a flag's value, in back quotes, from its usage.
func UnquoteUsage(f *Flag) (value, usage string) {
	before, rest, open := strings.Cut(f.Usage, "`")
	if value, after, closed := strings.Cut(rest, "`"); open && closed {
		return value, before + value + after
	}
	return string(f.kind), f.Usage
}
