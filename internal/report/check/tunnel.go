package check

import (
	"fmt"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// tunnelLine says who carries the packets; empty where there is no tunnel, or
// where nobody told.
func (c Report) tunnelLine() string {
	t := c.Path.Tunnel
	var parts []string
	toward, at := "to ", "directly at "
	if t.Target == record.Behind {
		toward = "behind "
	}
	if t.Via() == record.PeerRelay {
		at = "by peer relay "
	}
	if t.Peer != "" {
		parts = append(parts, toward+t.Peer)
	}
	switch r := t.Relay; {
	case t.Relayed && r != nil:
		parts = append(parts, relayWords(*r))
	case t.Endpoint != "":
		parts = append(parts, at+t.Endpoint)
	}
	if len(parts) == 0 {
		return ""
	}
	if t.Program != "" {
		parts = append(parts, "says "+t.Program)
	}
	if u := t.Underlay; u != nil {
		outside := fmt.Sprintf("outside by %s, MTU %d", u.Device, u.MTU)
		if u.RTT > 0 {
			outside += ", RTT " + render.Time(u.RTT)
		}
		parts = append(parts, outside)
	}
	return strings.Join(parts, "; ")
}

func relayWords(r record.Relay) string {
	words := "by relay " + r.Name
	if r.Name == "" {
		words = "by the relay at " + r.Address
	}
	if r.Transport != "" {
		words += " over " + strings.ToUpper(r.Transport)
	}
	return words
}

// tunnelNotes are what the reader should know of the tunnel beside the verdict:
// that the path changed and which test ran over which, whose TCP it was, and
// what was not learned.
func (c Report) tunnelNotes() []string {
	t := c.Path.Tunnel
	var notes []string
	if used := used(t.Ways); len(used) > 1 {
		var parts []string
		for _, w := range used {
			parts = append(parts, fmt.Sprintf("%s from %.0f to %.0f s", wayWords(w), w.From, w.To))
		}
		var note strings.Builder
		note.WriteString("the tunnel's path changed during the test: " + strings.Join(parts, ", "))
		for _, x := range c.Transfers {
			if ways := t.During(x.Started, x.Started+x.Duration); len(ways) > 1 && x.Protocol == record.TCP {
				note.WriteString(fmt.Sprintf("; %s ran over both", x.Name))
			}
		}
		notes = append(notes, note.String())
	}
	for _, host := range []struct {
		name string
		tcp  record.Place
	}{{"this host", t.NearTCP}, {"the far host", t.FarTCP}} {
		if host.tcp == record.Userspace {
			notes = append(notes, fmt.Sprintf("%s on %s runs without a TUN device and uses its own TCP: settings of that host's kernel do not reach its connections", t.Kind, host.name))
		}
	}
	for _, u := range t.Unknown {
		notes = append(notes, "not learned: "+u)
	}
	return notes
}

// used are the ways that carried packets.
func used(ways []record.Way) []record.Way {
	var out []record.Way
	for _, w := range ways {
		if w.Via != record.Idle {
			out = append(out, w)
		}
	}
	return out
}

func wayWords(w record.Way) string {
	switch w.Via {
	case record.Relayed:
		return "relay " + w.Relay
	case record.PeerRelay:
		return "peer relay " + w.Endpoint
	}
	return "direct to " + w.Endpoint
}
