package filter

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/live/table"
	"unchoke/internal/unit"
)

// key is a word that a condition begins with.
type key struct {
	name    string
	help    string
	allowed string   // what it takes, for an error
	values  []string // where these are all
	ordered bool     // takes < and > too
	compile func(p *parser, op, value string) (predicate, error)
}

// keys are all but state and exclude: those of ss, then the columns of a table,
// then what has no column.
var keys = func() []key {
	out := []key{
		{name: "dst", help: "the peer's address", allowed: takesHost, compile: hosts(func(f *live.Flow) netip.AddrPort { return f.Remote })},
		{name: "src", help: "this end's address", allowed: takesHost, compile: hosts(func(f *live.Flow) netip.AddrPort { return f.Local })},
		{name: "dport", help: "the peer's port", allowed: takesPort, ordered: true, compile: ports(func(f *live.Flow) netip.AddrPort { return f.Remote })},
		{name: "sport", help: "this end's port", allowed: takesPort, ordered: true, compile: ports(func(f *live.Flow) netip.AddrPort { return f.Local })},
		{name: "dev", help: "the device that the socket is bound to", allowed: "a device's name, as eth0", compile: devices},
		{name: "cgroup", help: "the control group", allowed: "a path below /sys/fs/cgroup", compile: cgroups},
	}
	for _, c := range table.Columns {
		switch {
		case c.Key == "state": // of ss
		case c.Name:
			out = append(out, nameKey(c))
		default:
			out = append(out, key{name: c.Key, help: c.Help, allowed: takes[c.Kind], ordered: true, compile: figures(c)})
		}
	}
	return append(
		out,
		key{name: "container", help: "the container's ID", allowed: takesName, compile: texts(func(f *live.Flow) string { return f.Container })},
		key{name: "uid", help: "the user's number", allowed: takes[table.Number], ordered: true, compile: numbers(func(f *live.Flow) float64 { return float64(f.UID) }, table.Number)},
		key{name: "id", help: "the socket's cookie", allowed: "hexadecimal digits", compile: texts(func(f *live.Flow) string { return f.ID })},
		key{name: "warning", help: "what is about to go wrong", allowed: "a warning, as chaos-zone", values: []string{string(live.ChaosZone)}, compile: warnings},
	)
}()

const (
	takesHost = "ADDRESS[/BITS][:PORT], as 10.0.0.0/8, [2001:db8::1]:443 or :443"
	takesPort = "a port's number or service, as 443, :443 or https"
	takesName = "a name, in which * stands for anything"
)

var takes = map[table.Kind]string{
	table.Number:  "a number, as 10",
	table.Rate:    "a rate with its unit, as 1mbit",
	table.Seconds: "a time with its unit, as 50ms",
	table.Share:   "a share, as 1% or 0.01",
	table.Bytes:   "a size, as 64KiB",
}

func findKey(name string) (key, bool) {
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}

func allKeys() string {
	names := []string{"state"}
	for _, k := range keys {
		names = append(names, k.name)
	}
	return "keys are " + strings.Join(names, ", ")
}

// negated is the predicate, turned round for !=.
func negated(op string, match predicate) predicate {
	if op == "!=" {
		return func(f *live.Flow) bool { return !match(f) }
	}
	return match
}

func hosts(of func(*live.Flow) netip.AddrPort) func(*parser, string, string) (predicate, error) {
	return func(p *parser, op, value string) (predicate, error) {
		h, err := parseHost(value, p.names)
		return negated(op, func(f *live.Flow) bool { return h.match(of(f)) }), err
	}
}

func ports(of func(*live.Flow) netip.AddrPort) func(*parser, string, string) (predicate, error) {
	return func(p *parser, op, value string) (predicate, error) {
		family, rest := parseFamily(value)
		port, wild, err := parsePort(strings.TrimPrefix(rest, ":"), p.names)
		if err == nil && wild && op != "=" && op != "!=" {
			err = errors.New("any port has no order")
		}
		return func(f *live.Flow) bool {
			a := of(f)
			if family != 0 && (family == 4) != a.Addr().Unmap().Is4() {
				return op == "!="
			}
			return wild && op == "=" || !wild && holds(op, float64(a.Port()), float64(port))
		}, err
	}
}

// holds compares a figure with what the filter says.
func holds(op string, v, with float64) bool {
	switch op {
	case "=":
		return v == with
	case "!=":
		return v != with
	case "<":
		return v < with
	case ">":
		return v > with
	case "<=":
		return v <= with
	}
	return v >= with
}

func devices(_ *parser, op, value string) (predicate, error) {
	if strings.Trim(value, "0123456789") == "" {
		return nil, errors.New("a device goes by its name here, not by its number")
	}
	return negated(op, func(f *live.Flow) bool { return f.Device == value }), nil
}

// cgroups match the group itself, not those below it: so does ss.
func cgroups(_ *parser, op, value string) (predicate, error) {
	want := cgroupPath(value)
	return negated(op, func(f *live.Flow) bool { return f.Cgroup != "" && cgroupPath(f.Cgroup) == want }), nil
}

func cgroupPath(path string) string {
	return strings.Trim(strings.TrimPrefix(path, "/sys/fs/cgroup"), "/")
}

func warnings(_ *parser, op, value string) (predicate, error) {
	if value != string(live.ChaosZone) {
		return nil, fmt.Errorf("there is no warning %q", value)
	}
	return negated(op, func(f *live.Flow) bool { return slices.Contains(f.Warnings, live.Warning(value)) }), nil
}

// nameKey is that of a column with names.
func nameKey(c table.Column) key {
	k := key{name: c.Key, help: c.Help, allowed: takesName, compile: texts(c.Text)}
	switch c.Key {
	case "verdict":
		k.values = []string{string(live.Watching)}
		for _, cause := range finding.Causes() {
			k.values = append(k.values, string(cause))
		}
	case "limit":
		k.values = []string{string(live.LimitApp), string(live.LimitNetwork), string(live.LimitReceiveWindow), string(live.LimitSendBuffer), "none"}
	case "unit":
		k.compile = units
	}
	if k.values != nil {
		k.allowed = strings.Join(k.values, ", ")
		k.compile = oneOf(k.values, c.Text)
	}
	return k
}

// oneOf takes the values of a list; none is the empty text.
func oneOf(values []string, of func(*live.Flow) string) func(*parser, string, string) (predicate, error) {
	return func(_ *parser, op, value string) (predicate, error) {
		if !slices.Contains(values, value) {
			return nil, fmt.Errorf("there is no %q", value)
		}
		if value == "none" {
			value = ""
		}
		return negated(op, func(f *live.Flow) bool { return of(f) == value }), nil
	}
}

func texts(of func(*live.Flow) string) func(*parser, string, string) (predicate, error) {
	return func(_ *parser, op, value string) (predicate, error) {
		return negated(op, func(f *live.Flow) bool { return like(value, of(f)) }), nil
	}
}

// units match with the ending .service left out too.
func units(_ *parser, op, value string) (predicate, error) {
	return negated(op, func(f *live.Flow) bool {
		return like(value, f.Unit) || like(value, strings.TrimSuffix(f.Unit, ".service")) || f.Unit == "" && like(value, f.Container)
	}), nil
}

// like says whether a text is the pattern, in which * stands for anything.
func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return text == pattern
	}
	text, ok := strings.CutPrefix(text, parts[0])
	last := parts[len(parts)-1]
	if !ok || len(text) < len(last) {
		return false
	}
	text, ok = strings.CutSuffix(text, last)
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return ok
}

func figures(c table.Column) func(*parser, string, string) (predicate, error) {
	return numbers(c.Value, c.Kind)
}

func numbers(of func(*live.Flow) float64, kind table.Kind) func(*parser, string, string) (predicate, error) {
	return func(_ *parser, op, value string) (predicate, error) {
		with, err := parseFigure(kind, value)
		return func(f *live.Flow) bool { return holds(op, of(f), with) }, err
	}
}

// parseFigure reads a figure with its unit. 0 needs none.
func parseFigure(kind table.Kind, text string) (float64, error) {
	if text == "0" {
		return 0, nil
	}
	switch kind {
	case table.Rate:
		v, err := unit.ParseBitRate(text)
		return float64(v), err
	case table.Seconds:
		v, err := time.ParseDuration(text)
		if err != nil || v < 0 {
			return 0, fmt.Errorf("%q is no time with a unit", text)
		}
		return v.Seconds(), nil
	case table.Share:
		v, err := unit.ParseRatio(text)
		return float64(v), err
	case table.Bytes:
		v, err := unit.ParseSize(text)
		return float64(v), err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.") != "" {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return v, nil
}
