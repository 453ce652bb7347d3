package owner

import (
	"path"
	"strings"
)

// Group is what a control group's path tells.
type Group struct {
	Path      string // below the hierarchy's root
	Unit      string // systemd's
	Container string // its ID's first twelve digits, or its name
}

// GroupOf reads a path: systemd's units are directories with a unit's name, and
// those of containers have the container's ID in theirs.
func GroupOf(group string) Group {
	g := Group{Path: group}
	for name := range strings.SplitSeq(path.Clean("/"+group), "/") {
		if id, ok := container(name); ok {
			g.Container = id
			continue
		}
		if isUnit(name) {
			g.Unit = strings.TrimPrefix(name, "_") // cg_unescape, systemd's src/basic/cgroup-util.c
		}
	}
	return g
}

// isUnit says whether a directory is that of a unit that holds processes: a
// slice holds units. The deepest is the most telling: of a user's own services
// it is the service, where systemd itself would name user@1000.service.
func isUnit(name string) bool {
	for _, kind := range []string{".service", ".scope", ".socket", ".mount", ".swap"} {
		if strings.HasSuffix(name, kind) && name != kind {
			return true
		}
	}
	return false
}

// containerPrefixes stand before a container's ID in the names of scopes, as
// runtimes with systemd's driver make them.
var containerPrefixes = []string{"docker-", "libpod-", "cri-containerd-", "crio-", "containerd-", "nerdctl-"}

// container reads the name of a container's directory: an ID alone (Docker with
// the cgroupfs driver, Kubernetes), an ID in a scope's name, LXC's payload, or a
// machine of systemd-nspawn.
func container(name string) (id string, ok bool) {
	if payload, ok := strings.CutPrefix(name, "lxc.payload."); ok && payload != "" {
		return payload, true
	}
	if machine, ok := strings.CutPrefix(name, "systemd-nspawn@"); ok {
		machine, ok = strings.CutSuffix(machine, ".service")
		return machine, ok && machine != ""
	}
	name = strings.TrimSuffix(name, ".scope")
	for _, p := range containerPrefixes {
		if rest, ok := strings.CutPrefix(name, p); ok {
			name = rest
			break
		}
	}
	if len(name) != idLength || strings.Trim(name, "0123456789abcdef") != "" {
		return "", false
	}
	return name[:shortID], true
}

const (
	idLength = 64 // hexadecimal digits
	shortID  = 12 // as docker ps prints it
)
