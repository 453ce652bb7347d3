package tune

import (
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/tune/sysctld"
)

// The sysctls that a plan deals with.
const (
	keyCC        = "net.ipv4.tcp_congestion_control"
	keyAllowed   = "net.ipv4.tcp_allowed_congestion_control"
	keyQdisc     = "net.core.default_qdisc"
	keyBacklog   = "net.core.netdev_max_backlog"
	keyRmem      = "net.ipv4.tcp_rmem"
	keyWmem      = "net.ipv4.tcp_wmem"
	keyMTU       = "net.ipv4.tcp_mtu_probing"
	keyScaling   = "net.ipv4.tcp_window_scaling"
	keySACK      = "net.ipv4.tcp_sack"
	keyModerate  = "net.ipv4.tcp_moderate_rcvbuf"
	keyNotsent   = "net.ipv4.tcp_notsent_lowat"
	keyAfterIdle = "net.ipv4.tcp_slow_start_after_idle"
	keySocketMax = "net.core.rmem_max"     // that a program may ask for
	keySocket    = "net.core.rmem_default" // of one that does not ask
)

// Keys are the sysctls that a plan may read or change.
var Keys = []string{keyQdisc, keyBacklog, keyCC, keyAllowed, keyRmem, keyWmem, keyMTU, keyScaling, keySACK, keyModerate, keyNotsent, keyAfterIdle, keySocketMax, keySocket}

// fileOf is a key as its file below /proc/sys.
func fileOf(key string) string { return strings.ReplaceAll(key, ".", "/") }

// keyOf is the other way about.
func keyOf(file string) string { return strings.ReplaceAll(file, "/", ".") }

// files are all keys as files below /proc/sys.
func keyFiles() []string {
	var out []string
	for _, key := range Keys {
		out = append(out, fileOf(key))
	}
	return out
}

// Modules that a plan may need.
const (
	moduleBBR = "tcp_bbr"
	moduleFQ  = "sch_fq"
)

// Wanted are the modules that a survey asks for.
var Wanted = []string{moduleBBR, moduleFQ}

// bbr is the algorithm that a plan sets, fq the qdisc that paces for it.
const (
	bbr = "bbr"
	fq  = "fq"
)

// before says whether the kernel's release is older than major.minor; false
// where it is not known.
func (k Kernel) before(major, minor int) bool {
	first, rest, ok := strings.Cut(k.Release, ".")
	if !ok {
		return false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	have1, err1 := strconv.Atoi(first)
	have2, err2 := strconv.Atoi(rest)
	if err1 != nil || err2 != nil {
		return false
	}
	return have1 < major || have1 == major && have2 < minor
}

// has says whether a module's function can be had: it is loaded, built in or
// on disk.
func (k Kernel) has(module string) bool {
	return k.is(module) || slices.Contains(k.Modules, module)
}

// is says whether it is there now.
func (k Kernel) is(module string) bool {
	name, isCC := strings.CutPrefix(module, "tcp_")
	return slices.Contains(k.BuiltIn, module) || slices.Contains(k.Loaded, module) || isCC && slices.Contains(k.Available, name)
}

// atBoot says whether it is there from boot on without anything being done:
// where no module of that name lies on disk, what is there is built in.
func (k Kernel) atBoot(module string) bool {
	return slices.Contains(k.BuiltIn, module) || k.is(module) && !slices.Contains(k.Modules, module)
}

// model is the kernel as the readers meet it with these values.
func (f *Facts) model(values map[string]string) *sysctld.Kernel {
	k := &sysctld.Kernel{Values: map[string]string{}}
	for key, value := range values {
		k.Values[fileOf(key)] = value
	}
	k.CC = slices.Clone(f.Kernel.Available)
	if f.Root != "" {
		k.CC = []string{"reno", "cubic"} // every distribution's kernel has these
	}
	if f.Kernel.has(moduleBBR) && !slices.Contains(k.CC, bbr) {
		k.CC = append(k.CC, bbr)
	}
	// Which others a kernel has is not surveyed: a name that is no qdisc's is
	// the same to a plan as one that is.
	k.Qdiscs = []string{"pfifo_fast", "fq_codel", "pfifo", "bfifo", "cake", "sfq", "noqueue"}
	if f.Kernel.has(moduleFQ) {
		k.Qdiscs = append(k.Qdiscs, fq)
	}
	return k
}

// triple reads minimum, default and maximum; ok is false for anything else.
func triple(value string) (v [3]int64, ok bool) {
	words := strings.Fields(value)
	if len(words) != len(v) {
		return v, false
	}
	for i, w := range words {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, true
}
