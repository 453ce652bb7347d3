package proc

import "strings"

// Option is the value of a program's option, given as --name=value or as
// --name value, with one dash or two; empty where it is not there.
func Option(args []string, name string) string {
	for i, arg := range args {
		key, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || key != name {
			continue
		}
		if joined {
			return value
		}
		if i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
