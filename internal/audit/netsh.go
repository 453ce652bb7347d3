package audit

import (
	"slices"
	"strings"

	"unchoke/internal/record"
)

// providers are the congestion controls that netsh names, as it names them in
// every language (netsh interface tcp set supplemental).
var providers = []string{"cubic", "newreno", "ctcp", "dctcp", "bbr2", "ledbat"}

// autotuning are the levels that netsh names (netsh interface tcp set global
// autotuninglevel). A level that other settings have as a value too, disabled,
// is told by the words before it, which are translated.
var autotuning = []string{"normal", "restricted", "highlyrestricted", "experimental"}

// netshSupplemental reads `netsh interface tcp show supplemental`: the
// congestion control of new connections; empty where the words are not known.
func netshSupplemental(text string) (cc string) {
	for _, value := range netshValues(text) {
		if slices.Contains(providers, value) {
			return value
		}
	}
	return ""
}

// netshGlobal reads `netsh interface tcp show global` into what it tells. It
// returns false where the level of the receive window is not among it.
func netshGlobal(text string, h *record.Host) (told bool) {
	for name, value := range netshValues(text) {
		level := slices.Contains(autotuning, value) || value == "disabled" && strings.Contains(name, "Auto-Tuning")
		switch {
		case level && !told:
			h.Autotuning, told = value, true
			h.WindowScaling = value != "disabled"
		case strings.Contains(name, "1323"):
			h.Timestamps = value == "enabled" || value == "allowed"
		}
	}
	return told
}

// netshValues are the lines "name : value", in order.
func netshValues(text string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for line := range strings.Lines(text) {
			name, value, found := strings.Cut(line, ":")
			if value = strings.TrimSpace(value); found && value != "" && !yield(strings.TrimSpace(name), value) {
				return
			}
		}
	}
}
