package survey

import (
	"io/fs"
	"iter"
	"path"
	"strings"

	"unchoke/internal/tune"
	"unchoke/internal/tune/sysctld"
)

// tuned reads what tuned(8) sets: the sysctls of the active profiles and of
// those that they include. nil where it is not installed.
func tuned(root fs.FS) *tune.Tuned {
	profile := readLine(root, "etc/tuned/active_profile")
	if profile == "" {
		return nil
	}
	t := &tune.Tuned{Profile: profile, Reapply: true} // tuned's own default
	for _, file := range []string{"etc/systemd/system/multi-user.target.wants/tuned.service", "run/tuned"} {
		t.Active = t.Active || exists(root, file)
	}
	for line := range lines(root, "etc/tuned/tuned-main.conf") {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && strings.TrimSpace(key) == "reapply_sysctl" {
			value = strings.ToLower(strings.TrimSpace(value))
			t.Reapply = value == "1" || value == "true"
		}
	}
	seen := map[string]bool{}
	for name := range strings.FieldsSeq(profile) {
		t.Settings = append(t.Settings, tunedProfile(root, name, seen)...)
	}
	return t
}

// tunedDirs hold the profiles, the first to have one wins. Since tuned 2.25
// they are in a directory of their own.
var tunedDirs = []string{"etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned"}

// tunedProfile reads one, what it includes first.
func tunedProfile(root fs.FS, name string, seen map[string]bool) []sysctld.Assignment {
	if seen[name] || name != path.Base(name) {
		return nil
	}
	seen[name] = true
	for _, dir := range tunedDirs {
		file := path.Join(dir, name, "tuned.conf")
		if !exists(root, file) {
			continue
		}
		var included, own []sysctld.Assignment
		for s := range ini(root, file) {
			switch {
			case s.section == "main" && s.key == "include":
				for other := range strings.FieldsFuncSeq(s.value, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
					included = append(included, tunedProfile(root, strings.TrimPrefix(other, "-"), seen)...)
				}
			case s.section == "sysctl":
				own = append(own, sysctld.Assignment{Key: strings.ReplaceAll(s.key, ".", "/"), Value: strings.Trim(s.value, `"'`), File: "/" + file, Line: s.line})
			}
		}
		return append(included, own...)
	}
	return nil
}

// networkd tells which devices systemd-networkd manages, and by which files.
func networkd(root fs.FS) []tune.Network {
	links, err := fs.Glob(root, "run/systemd/netif/links/*")
	if err != nil {
		return nil
	}
	var out []tune.Network
	for _, link := range links {
		var file string
		for line := range lines(root, link) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "NETWORK_FILE="); ok {
				file = name
			}
		}
		device := deviceName(root, path.Base(link))
		if file == "" || device == "" {
			continue
		}
		n := tune.Network{Device: device, File: file}
		for s := range ini(root, strings.TrimPrefix(file, "/")) {
			if s.section == "Route" && s.key == "TCPCongestionControlAlgorithm" {
				n.Line, n.CC = s.line, s.value
			}
		}
		out = append(out, n)
	}
	return out
}

// deviceName finds a device by its index.
func deviceName(root fs.FS, index string) string {
	files, err := fs.Glob(root, "sys/class/net/*/ifindex")
	if err != nil {
		return ""
	}
	for _, file := range files {
		if readLine(root, file) == index {
			return path.Base(path.Dir(file))
		}
	}
	return ""
}

// setting is a line of a file of sections.
type setting struct {
	section, key, value string
	line                int
}

func ini(root fs.FS, name string) iter.Seq[setting] {
	return func(yield func(setting) bool) {
		section, n := "", 0
		for line := range lines(root, name) {
			n++
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' || line[0] == ';' {
				continue
			}
			if line[0] == '[' && line[len(line)-1] == ']' {
				section = line[1 : len(line)-1]
				continue
			}
			key, value, ok := strings.Cut(line, "=")
			if ok && !yield(setting{section, strings.TrimSpace(key), strings.TrimSpace(value), n}) {
				return
			}
		}
	}
}
