package kernel

import (
	"bufio"
	"fmt"
	"strings"
)

// An option is a line of a kernel configuration: CONFIG_NAME=value, where the
// value n stands for "is not set".
type option struct{ name, value string }

func (o option) String() string { return o.name + "=" + o.value }

// parseConfig reads a .config file or a fragment of one.
func parseConfig(text string) ([]option, error) {
	var options []option
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if name, ok := strings.CutSuffix(line, " is not set"); ok {
			options = append(options, option{strings.TrimPrefix(name, "# "), "n"})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || !strings.HasPrefix(name, "CONFIG_") {
			return nil, fmt.Errorf("kernel configuration, line %d: %q is not CONFIG_NAME=value", n, line)
		}
		options = append(options, option{name, value})
	}
	return options, lines.Err()
}

// lost returns the options of want that the configuration got does not have.
// An option that got does not mention is off.
func lost(want, got []option) []option {
	have := make(map[string]string, len(got))
	for _, o := range got {
		have[o.name] = o.value
	}
	var missing []option
	for _, o := range want {
		value, ok := have[o.name]
		if !ok {
			value = "n"
		}
		if value != o.value {
			missing = append(missing, o)
		}
	}
	return missing
}
