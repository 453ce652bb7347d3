// Package congestion knows how congestion controls answer to what a path does, by the
// names that kernels give them.
package congestion

import (
	"slices"
	"strings"
)

// lossBased take a lost packet for congestion. Vegas and its kin go by delay first, and
// back off for a loss as well. The names are Linux's, but for newreno (FreeBSD, macOS and
// Windows), ctcp and ledbat (Windows; RFC 6817 halves its window at a loss).
var lossBased = []string{
	"cubic", "reno", "newreno", "bic", "htcp", "highspeed", "hybla", "illinois", "scalable",
	"veno", "westwood", "yeah", "cdg", "dctcp", "lp", "nv", "vegas", "ctcp", "ledbat",
}

// LossBased says that a congestion control takes a lost packet for congestion.
func LossBased(name string) bool { return slices.Contains(lossBased, name) }

// LossBasedOrUnknown says that a congestion control takes losses for congestion, or that
// nobody knows which it is.
func LossBasedOrUnknown(name string) bool { return name == "" || LossBased(name) }

// BBR says that a congestion control is a version of BBR, which goes by what is delivered
// and by the RTT (draft-ietf-ccwg-bbr).
func BBR(name string) bool { return strings.HasPrefix(name, "bbr") }
