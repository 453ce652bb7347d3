package sysctld

import (
	"path"
	"strings"
)

// OpenWrt is what OpenWrt's init script writes to /proc/sys: sysctl -e -p of
// busybox for each file of /etc/sysctl.d in the order of names, then for
// /etc/sysctl.conf. keys are those that the kernel has.
//
// It follows package/base-files/files/etc/init.d/sysctl of OpenWrt and
// procps/sysctl.c of busybox, whose lines are words parted by spaces, tabs and
// equals signs, and end at a #.
func OpenWrt(t Tree, keys []string) []Assignment {
	var out []Assignment
	read := func(name string) {
		content, file, ok := t.Read(name)
		if !ok {
			return
		}
		for i, line := range strings.Split(string(content), "\n") {
			if o, ok := busyboxLine(line, keys); ok {
				o.place(name, file, i+1)
				out = append(out, o.Assignment)
			}
		}
	}
	for _, name := range t.list("/etc/sysctl.d") {
		if strings.HasSuffix(name, ".conf") && !strings.HasPrefix(name, ".") {
			read(path.Join("/etc/sysctl.d", name))
		}
	}
	read(mainFile)
	return resolved(out)
}

func busyboxLine(line string, keys []string) (o option, ok bool) {
	const separators = " \t="
	line, _, _ = strings.Cut(line, "#")
	line = strings.Trim(line, separators)
	i := strings.IndexAny(line, separators)
	if i < 0 {
		return option{}, false
	}
	o.Key = busyboxKey(line[:i], keys)
	o.Value = strings.TrimLeft(line[i:], separators)
	return o, true
}

// busyboxKey finds the key that a name means: as many of its dots as are part
// of names stay.
func busyboxKey(name string, keys []string) string {
	for _, key := range keys {
		if strings.ReplaceAll(key, "/", ".") == strings.ReplaceAll(name, "/", ".") {
			return key
		}
	}
	return name
}
