package sysctld

import (
	"path"
	"slices"
	"strings"

	"unchoke/internal/linux/sysctlkey"
)

// Systemd is what systemd-sysctl writes to /proc/sys at boot, in its order:
// of each key the last line only, keys in the order of those lines, patterns
// only for keys that no line names. keys are those that the kernel has.
//
// It follows src/sysctl/sysctl.c, src/basic/conf-files.c and
// src/basic/sysctl-util.c of systemd 252. /etc/sysctl.conf counts only where
// something links to it, as Debian's /etc/sysctl.d/99-sysctl.conf did.
func Systemd(t Tree, keys []string) []Assignment {
	var options []option
	for _, name := range t.files(false) {
		content, file, ok := t.Read(name)
		if !ok {
			continue
		}
		for i, line := range systemdLines(string(content)) {
			if o, ok := systemdLine(line); ok {
				o.place(name, file, i+1)
				options = override(options, o)
			}
		}
	}
	return normalized(expand(options, keys))
}

// expand is what options assign to which of the keys that a kernel has: a
// pattern, to all that fit it and that no other option names.
func expand(options []option, keys []string) []Assignment {
	var out []Assignment
	for _, o := range options {
		switch {
		case o.exclude:
		case !isGlob(o.Key):
			out = append(out, o.Assignment)
		default:
			for _, key := range matching(o.Key, keys) {
				if !slices.ContainsFunc(options, func(x option) bool { return x.Key == key }) {
					out = append(out, o.with(key))
				}
			}
		}
	}
	return out
}

// with is the option's assignment to a key that its pattern fits.
func (o option) with(key string) Assignment {
	a := o.Assignment
	a.Key = key
	return a
}

// override puts o last, in the place of an earlier line of its key. A line
// that repeats what is already to be set stays where the first one was.
func override(options []option, o option) []option {
	i := slices.IndexFunc(options, func(x option) bool { return x.Key == o.Key })
	if i >= 0 {
		if options[i].Value == o.Value && options[i].exclude == o.exclude {
			return options
		}
		options = slices.Delete(options, i, i+1)
	}
	return append(options, o)
}

// systemdLine reads one line; ok is false where it says nothing.
func systemdLine(line string) (o option, ok bool) {
	line = strings.Trim(line, systemdSpaces)
	if line == "" || strings.ContainsRune("#;", rune(line[0])) {
		return option{}, false
	}
	key, o, ok := parseOption(line, systemdSpaces)
	if !ok {
		return option{}, false
	}
	o.Key = simplified(sysctlkey.Path(strings.Trim(key, systemdSpaces)))
	return o, true
}

// simplified is systemd's path_simplify without the leading slash.
func simplified(p string) string {
	var parts []string
	for part := range strings.SplitSeq(p, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// normalized leaves out what systemd refuses to write: names with "..".
func normalized(all []Assignment) []Assignment {
	return slices.DeleteFunc(all, func(a Assignment) bool {
		return a.Key == "" || path.Clean("/"+a.Key) != "/"+a.Key
	})
}

// systemdLines splits as systemd's read_line does: a line ends with \n, \r or
// NUL, or with several different ones of them in a row, a NUL at last.
func systemdLines(s string) []string {
	const ends = "\n\r\x00"
	var lines []string
	for s != "" {
		i := strings.IndexAny(s, ends)
		if i < 0 {
			return append(lines, s)
		}
		n := 1
		for s[i+n-1] != 0 && i+n < len(s) && strings.IndexByte(ends, s[i+n]) >= 0 && !strings.Contains(s[i:i+n], s[i+n:i+n+1]) {
			n++
		}
		lines = append(lines, s[:i])
		s = s[i+n:]
	}
	return lines
}
