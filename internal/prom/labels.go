package prom

import (
	"regexp"
	"strconv"
	"strings"

	"unchoke/internal/live"
)

// labels are what flows are added up by.
type labels struct {
	port, unit, algorithm string
}

// What a label says that has no value of its own.
const (
	other     = "other"     // beyond the bound
	ephemeral = "ephemeral" // both ports are: no service has a port here
)

func (l labels) values(more ...string) []string {
	return append([]string{l.port, l.unit, l.algorithm}, more...)
}

// labeller gives flows their labels. It keeps what it made of each port and
// unit: a host has few, and 10,000 flows ask for them every second.
type labeller struct {
	ephemerals [2]uint16
	ports      map[uint16]string
	units      map[string]string
	groups     map[string]string // units, by the control groups of containers
	algorithms map[string]string
}

// mostKept bounds each map; a full one is begun anew.
const mostKept = 1 << 14

func newLabeller(ephemerals [2]uint16) *labeller {
	return &labeller{ephemerals, map[uint16]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
}

func (l *labeller) of(f *live.Flow) labels {
	unit := kept(l.units, f.Unit, unitOf)
	if f.Container != "" {
		unit = kept(l.groups, f.Cgroup, containerUnit)
	}
	return labels{kept(l.ports, servicePort(f, l.ephemerals), portOf), unit, kept(l.algorithms, f.CC, printable)}
}

func kept[K comparable](made map[K]string, from K, f func(K) string) string {
	text, known := made[from]
	if !known {
		if len(made) >= mostKept {
			clear(made)
		}
		text = f(from)
		made[from] = text
	}
	return text
}

// servicePort is the port that names the service: the local one where a program
// listens on it, else the smaller one, and never an ephemeral one; 0: none does.
// The smaller one alone would not do: address translators send from any port
// above 1023.
func servicePort(f *live.Flow, ephemerals [2]uint16) uint16 {
	serves := func(port uint16) bool {
		return port != 0 && (port < ephemerals[0] || port > ephemerals[1])
	}
	local, remote := f.Local.Port(), f.Remote.Port()
	switch {
	case serves(local) && (f.Accepted || local <= remote || !serves(remote)):
		return local
	case serves(remote):
		return remote
	}
	return 0
}

func portOf(port uint16) string {
	if port == 0 {
		return ephemeral
	}
	return strconv.Itoa(int(port))
}

// Units that systemd or a container runtime makes anew for each session, run,
// container or connection. Their names never end.
var (
	passing   = regexp.MustCompile(`^(session|run|user-run|docker|libpod|libpod-conmon|crio|crio-conmon|cri-containerd|containerd|nerdctl)-[a-z]?[0-9a-f]+(\.scope|\.service)$`)
	byAddress = regexp.MustCompile(`^([^@]+@)[0-9]+-[^@]*(\.service)$`) // sshd@7-192.0.2.1:22-….service
)

// unitOf is a unit's name without what is in it of one session, container or
// connection.
func unitOf(unit string) string {
	if unit == "" {
		return ""
	}
	unit = printable(unit)
	if m := passing.FindStringSubmatch(unit); m != nil {
		return m[1] + m[2]
	}
	if m := byAddress.FindStringSubmatch(unit); m != nil {
		return m[1] + m[2]
	}
	return unit
}

// containerUnit is the deepest unit that a container's control group is in: mostly the
// scope that its runtime makes, whose name has the container's ID. A runtime that does
// not ask systemd makes none.
func containerUnit(group string) string {
	names := strings.Split(group, "/")
	for i := len(names) - 1; i >= 0; i-- {
		if name := names[i]; strings.HasSuffix(name, ".scope") || strings.HasSuffix(name, ".service") {
			return unitOf(strings.TrimPrefix(name, "_")) // as systemd escapes it
		}
	}
	return ""
}
