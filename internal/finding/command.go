package finding

import (
	"fmt"
	"path"
	"strings"
)

// UDPGROForwarding is the kernel's name of the offload that joins UDP packets
// which a host passes on (Linux 5.12).
const UDPGROForwarding = "rx-udp-gro-forwarding"

// without is what has to be off for a feature to do anything.
var without = map[string]string{UDPGROForwarding: " rx-gro-list off"}

// limitCommand gives a control group its cores by whoever made it: its maker
// would take another's change back.
func limitCommand(a Action) string {
	const period = 100_000 // microseconds, the kernel's default
	name := path.Base(a.Group)
	unit := strings.HasSuffix(name, ".service") || strings.HasSuffix(name, ".slice")
	id, isScope := strings.CutPrefix(strings.TrimSuffix(name, ".scope"), "docker-")
	docker := isScope || path.Base(path.Dir(a.Group)) == "docker"
	switch {
	case docker && len(id) >= 12:
		return fmt.Sprintf("docker update --cpus %g %s", a.Cores, Quote(id[:12]))
	case unit:
		manager := ""
		if strings.Contains(path.Dir(a.Group), "/user@") {
			manager = "--user " // the unit is not the system's: its user runs this
		}
		return fmt.Sprintf("systemctl %sset-property %s CPUQuota=%g%%", manager, Quote(name), 100*a.Cores)
	case a.Version == 1:
		// Who made the group may have chosen another period.
		dir := path.Join("/sys/fs/cgroup/cpu", a.Group)
		return fmt.Sprintf("echo %d > %s && echo %.0f > %s", period, Quote(dir+"/cpu.cfs_period_us"), a.Cores*period, Quote(dir+"/cpu.cfs_quota_us"))
	}
	return fmt.Sprintf("echo %.0f %d > %s", a.Cores*period, period, Quote(path.Join("/sys/fs/cgroup", a.Group, "cpu.max")))
}

// Quote makes one word of a shell's of a text.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
