package sysctld

import "strings"

// option is a line that sets a key or a pattern of keys, or takes a key out of
// the reach of patterns.
type option struct {
	Assignment
	exclude bool
}

func (o *option) place(name, file string, line int) {
	o.File, o.Line = file, line
	if name != file {
		o.Via = name
	}
}

// parseOption reads the form of a line that both programs share, KEY=VALUE with a
// dash before the key where a failure is no error, or -KEY; the key is as it
// stands there.
func parseOption(line, spaces string) (key string, o option, ok bool) {
	key, value, assigns := strings.Cut(line, "=")
	switch {
	case assigns:
		o.Value = strings.Trim(value, spaces)
		return strings.TrimPrefix(key, "-"), o, true
	case line[0] == '-':
		o.exclude = true
		return line[1:], o, true
	}
	return "", option{}, false
}
