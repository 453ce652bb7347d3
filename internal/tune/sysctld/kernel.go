package sysctld

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kernel is a model of the sysctls that a plan deals with: what they hold
// after a write, and which writes fail.
type Kernel struct {
	// Values by key, as /proc/sys shows them with fields joined by one space.
	// A key that is not in here does not exist.
	Values map[string]string
	// CC are the congestion controls that are loaded or that a write loads.
	CC []string
	// LeastRmem is the least that tcp_rmem takes: 4096 since 2025
	// (tcp_min_rcvbuf, net/ipv4/sysctl_net_ipv4.c), 1 before.
	LeastRmem int64
	// Qdiscs are those that may be the default, likewise.
	Qdiscs []string
}

// Keys with rules of their own.
const (
	KeyCC      = "net/ipv4/tcp_congestion_control"
	KeyAllowed = "net/ipv4/tcp_allowed_congestion_control"
	KeyQdisc   = "net/core/default_qdisc"
)

// Apply writes one after the other, as a reader does: a failure does not keep
// it from the next. from tells which assignment each value now in force is
// owed to.
func (k *Kernel) Apply(writes []Assignment) (from map[string]Assignment, failed []Failure) {
	from = map[string]Assignment{}
	for _, w := range writes {
		if _, ok := k.Values[w.Key]; !ok {
			continue
		}
		if err := k.Write(w.Key, w.Value); err != nil {
			failed = append(failed, Failure{w, err})
			continue
		}
		from[w.Key] = w
	}
	return from, failed
}

// Failure is a write that the kernel refuses.
type Failure struct {
	Assignment
	Err error
}

// Write sets a key as writing its file does.
func (k *Kernel) Write(key, value string) error {
	switch key {
	case KeyCC:
		// tcp_set_default_congestion_control, net/ipv4/tcp_cong.c
		if !slices.Contains(k.CC, value) {
			return fmt.Errorf("this kernel has no %q", value)
		}
		k.Values[key] = value
		if _, ok := k.Values[KeyAllowed]; ok {
			k.Values[KeyAllowed] = k.inOrder(append(strings.Fields(k.Values[KeyAllowed]), value))
		}
	case KeyAllowed:
		// tcp_set_allowed_congestion_control, the same file: all or none, up to
		// the first of two spaces in a row
		first, _, _ := strings.Cut(value, "  ")
		names := strings.Fields(first)
		for _, name := range names {
			if !slices.Contains(k.CC, name) {
				return fmt.Errorf("this kernel has no %q", name)
			}
		}
		k.Values[key] = k.inOrder(names)
	case KeyQdisc:
		// qdisc_set_default, net/sched/sch_api.c
		if !slices.Contains(k.Qdiscs, value) {
			return fmt.Errorf("this kernel has no %q", value)
		}
		k.Values[key] = value
	default:
		return k.writeNumbers(key, value)
	}
	return nil
}

// inOrder lists algorithms as the kernel does, in the order of CC.
func (k *Kernel) inOrder(names []string) string {
	var out []string
	for _, name := range k.CC {
		if slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// least and most are the bounds of keys (net/ipv4/sysctl_net_ipv4.c,
// net/core/sysctl_net_core.c); those of the others are of an int.
var (
	least = map[string]int64{"net/ipv4/tcp_wmem": 1, "net/ipv4/tcp_notsent_lowat": 0, "net/ipv4/tcp_mtu_probing": 0, "net/ipv4/tcp_slow_start_after_idle": 0}
	most  = map[string]int64{"net/ipv4/tcp_notsent_lowat": 1<<32 - 1, "net/ipv4/tcp_mtu_probing": 255, "net/ipv4/tcp_slow_start_after_idle": 255}
)

// writeNumbers sets a key that holds numbers, one after the other until one is
// wrong: what came before it stands (do_proc_dointvec, kernel/sysctl.c). Fewer
// numbers than the key holds leave the rest.
func (k *Kernel) writeNumbers(key, value string) error {
	have := strings.Fields(k.Values[key])
	for i, word := range strings.Fields(value) {
		if i == len(have) {
			break
		}
		n, err := kernelNumber(word)
		if err != nil {
			k.Values[key] = strings.Join(have, " ")
			return err
		}
		low, bounded := least[key]
		if !bounded {
			low = -1 << 31
		}
		if key == "net/ipv4/tcp_rmem" {
			low = max(k.LeastRmem, 1)
		}
		high, bounded := most[key]
		if !bounded {
			high = 1<<31 - 1
		}
		if n < low || n > high {
			k.Values[key] = strings.Join(have, " ")
			return fmt.Errorf("%d is out of range", n)
		}
		have[i] = strconv.FormatInt(n, 10)
	}
	k.Values[key] = strings.Join(have, " ")
	return nil
}

var errNoNumber = errors.New("not a number")

// kernelNumber reads a number as proc_get_long does: decimal, octal after 0,
// hexadecimal after 0x.
func kernelNumber(s string) (int64, error) {
	digits, negative := strings.CutPrefix(s, "-")
	if digits == "" || strings.ContainsAny(digits, "_+-") || len(s) > 21 {
		return 0, errNoNumber
	}
	lower := strings.ToLower(digits)
	base := 10
	switch {
	case strings.HasPrefix(lower, "0x"):
		base, lower = 16, lower[2:]
	case strings.HasPrefix(lower, "0") && len(lower) > 1:
		base, lower = 8, lower[1:]
	}
	n, err := strconv.ParseInt(lower, base, 64)
	if err != nil {
		return 0, errNoNumber
	}
	if negative {
		n = -n
	}
	return n, nil
}
