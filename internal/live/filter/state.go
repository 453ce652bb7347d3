package filter

import (
	"slices"
	"strings"

	"unchoke/internal/live"
)

// states are those that ss knows, by its names.
var states = []string{
	"established", "syn-sent", "syn-recv", "fin-wait-1", "fin-wait-2", "time-wait", "closed", "close-wait", "last-ack", "listening", "closing",
}

// stateSets are ss's names for several, sorted.
var stateSets = []struct {
	name string
	has  func(state string) bool
}{
	{"all", func(string) bool { return true }},
	{"big", func(s string) bool { return s != "syn-recv" && s != "time-wait" }},
	{"bucket", func(s string) bool { return s == "syn-recv" || s == "time-wait" }},
	{"connected", func(s string) bool { return s != "closed" && s != "listening" }},
	{"synchronized", func(s string) bool { return s != "closed" && s != "listening" && s != "syn-sent" }},
}

// stateAliases are other names that ss takes.
var stateAliases = map[string]string{"close": "closed", "unconnected": "closed", "syn-rcv": "syn-recv"}

func stateNames() []string {
	out := slices.Clone(states)
	for _, set := range stateSets {
		out = append(out, set.name)
	}
	return out
}

// statesOf are the states of a name, in any case.
func statesOf(name string) ([]string, bool) {
	name = strings.ToLower(name)
	if alias, is := stateAliases[name]; is {
		name = alias
	}
	for _, set := range stateSets {
		if set.name == name {
			return slices.DeleteFunc(slices.Clone(states), func(s string) bool { return !set.has(s) }), true
		}
	}
	return []string{name}, slices.Contains(states, name)
}

// stateOf is a flow's state; that of one whose end was seen is closed.
func stateOf(f *live.Flow) string {
	if alias, is := stateAliases[f.State]; is {
		return alias
	}
	if f.Closed {
		return "closed"
	}
	return f.State
}
