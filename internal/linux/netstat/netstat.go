// Package netstat reads the TCP counters that Linux keeps for all sockets of
// a network namespace.
package netstat

import (
	"strconv"
	"strings"
)

// Counters by name, without the group's prefix: TCPDSACKOldSent.
type Counters map[string]int64

// parse reads one group of /proc/net/netstat: two lines that begin with its
// name, first the counters' names, then their values. Names without a value,
// and what is no number, are left out.
func parse(text, group string) Counters {
	out := Counters{}
	var names []string
	for line := range strings.SplitSeq(text, "\n") {
		rest, ok := strings.CutPrefix(line, group+": ")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if names == nil {
			names = fields
			continue
		}
		for i, f := range fields[:min(len(fields), len(names))] {
			if v, err := strconv.ParseInt(f, 10, 64); err == nil {
				out[names[i]] = v
			}
		}
		break
	}
	return out
}

// Since is how far the counters went from one reading to a later one; those
// that stood still are left out.
func Since(before, after Counters) Counters {
	out := Counters{}
	for name, v := range after {
		if d := v - before[name]; d != 0 {
			out[name] = d
		}
	}
	return out
}
