package audit

import (
	"io/fs"
	"strings"
)

// Container is the kind of container that this host is: docker, podman, lxc,
// …; empty where nothing tells that it is one.
func Container(root fs.FS) string {
	// Written by systemd within, and by systemd-nspawn, lxc and podman for it.
	if b, err := fs.ReadFile(root, "run/systemd/container"); err == nil {
		if kind := strings.TrimSpace(string(b)); kind != "" {
			return kind
		}
	}
	for _, mark := range []struct{ file, kind string }{
		{".dockerenv", "docker"},
		{"run/.containerenv", "podman"},
	} {
		if _, err := fs.Stat(root, mark.file); err == nil {
			return mark.kind
		}
	}
	// Control groups of version 1, or of a container without its own namespace.
	cgroup, err := fs.ReadFile(root, "proc/1/cgroup")
	if err != nil {
		return ""
	}
	for _, mark := range []struct{ part, kind string }{
		{"kubepods", "kubernetes"},
		{"/docker", "docker"},
		{"/lxc", "lxc"},
	} {
		if strings.Contains(string(cgroup), mark.part) {
			return mark.kind
		}
	}
	return ""
}
