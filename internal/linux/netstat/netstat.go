// Package netstat reads the TCP and UDP counters that Linux keeps for all
// sockets of a network namespace.
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

// parseLines reads one group of /proc/net/snmp6: a line each of the group's
// name and the counter's, and its value.
func parseLines(text, group string) Counters {
	out := Counters{}
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		name, ok := strings.CutPrefix(fields[0], group)
		if v, err := strconv.ParseInt(fields[1], 10, 64); ok && err == nil {
			out[name] = v
		}
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
