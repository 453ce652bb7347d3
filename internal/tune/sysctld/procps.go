package sysctld

import (
	"path"
	"strings"

	"unchoke/internal/linux/sysctlkey"
)

// Procps is what sysctl --system of procps writes to /proc/sys, in its order:
// every line of every file, and last of all those of /etc/sysctl.conf. keys
// are those that the kernel has.
//
// It follows src/sysctl.c of procps-ng 4.0.2. Versions before 4.0 know no
// patterns. Later ones also keep a pattern from what an excluding pattern
// fits, which 4.0.2 does not.
func Procps(t Tree, keys []string) []Assignment {
	var options []option
	read := func(name string) {
		content, file, ok := t.Read(name)
		if !ok {
			return
		}
		for i, line := range strings.SplitAfter(string(content), "\n") {
			if o, ok := procpsLine(line); ok {
				o.place(name, file, i+1)
				options = append(options, o)
			}
		}
	}
	for _, name := range t.files(true) {
		read(name)
	}
	read(mainFile)
	return resolved(expand(options, keys))
}

// procpsLine reads one line with its end; ok is false where it says nothing.
func procpsLine(line string) (o option, ok bool) {
	if len(line) < 2 {
		return option{}, false
	}
	line, _, _ = strings.Cut(line, "\x00") // the end of a C string
	line = strings.TrimLeft(line, cSpaces)
	if len(line) < 2 || line[0] == '#' || line[0] == ';' {
		return option{}, false
	}
	key, o, ok := parseOption(line, cSpaces)
	if !ok {
		return option{}, false
	}
	// A second dash goes the same way, as the program looks for one twice.
	o.Key = sysctlkey.Path(strings.TrimPrefix(strings.TrimRight(key, cSpaces), "-"))
	return o, true
}

// resolved gives keys the names that the file system would find them by, and
// leaves out what lies elsewhere than below /proc/sys.
func resolved(all []Assignment) []Assignment {
	var out []Assignment
	for _, a := range all {
		const root = "/proc/sys/"
		if key, ok := strings.CutPrefix(path.Clean(root+a.Key), root); ok {
			a.Key = key
			out = append(out, a)
		}
	}
	return out
}
