package check

import (
	"fmt"
	"strings"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// setupLines say what both hosts are, as far as they told, and how the far one
// came to serve: a line each.
func (c Report) setupLines() []string {
	if c.FarHost == nil {
		return present(c.hostLine(), c.bufferLine(), render.Capital(c.accessWords()))
	}
	here := "here: " + withBuffers(hostWords(c.Near, c.Route.Qdiscs), c.Near)
	var qdiscs []record.Qdisc
	if c.FarRoute != nil {
		qdiscs = c.FarRoute.Qdiscs
	}
	there := "there: " + withBuffers(hostWords(*c.FarHost, qdiscs), *c.FarHost)
	var rest []string
	if most := c.capacity(); most > 0 && c.Path.RTT > 0 {
		rest = append(rest, "the path holds "+render.Size(most/8*c.Path.RTT))
	}
	if words := c.accessWords(); words != "" {
		rest = append(rest, words)
	}
	return present(here, there, strings.Join(rest, "; "), c.farTunnelWords())
}

func present(lines ...string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}

// hostWords are a host's kernel, congestion control and queue on the way.
func hostWords(h record.Host, qdiscs []record.Qdisc) string {
	var parts []string
	if kernel := render.Kernel(h.OS, h.Kernel); kernel != "" {
		parts = append(parts, kernel)
	}
	if h.CC != "" {
		parts = append(parts, h.CC)
	}
	if len(qdiscs) > 0 {
		parts = append(parts, qdiscs[0].Kind)
	}
	return strings.Join(parts, ", ")
}

func withBuffers(words string, h record.Host) string {
	if h.TCPWmem[2] == 0 {
		return words
	}
	return words + "; " + bufferWords(h)
}

// bufferWords say how large a host lets a socket's buffers grow, or that its
// receive buffers stay as they are.
func bufferWords(h record.Host) string {
	receive := "receive ≤ "
	if h.FixedReceiveBuffer() {
		receive = "receive fixed at "
	}
	return "send ≤ " + render.Size(float64(h.TCPWmem[2])) + ", " + receive + render.Size(float64(h.MostReceive()))
}

// accessWords say what serves on a far host that was asked by SSH, and which
// way its server was reached.
func (c Report) accessWords() string {
	return strings.Join(present(map[record.Runs]string{
		record.OwnProgram: "its own unchoke serves",
		record.Delivered:  "unchoke serves there, delivered for this check",
		record.StockServe: "its iperf3 serves, started for this check",
	}[c.Far.Runs], map[record.Reach]string{
		record.ReachedDirect: "reached directly",
		record.ReachedBack:   "it connected to this host, whose port it reaches",
		record.ReachedSSH:    "reached through SSH, whose window and cipher bound the rates",
	}[c.Far.Reached]), ", ")
}

// farTunnelWords say how the far host sees the tunnel where that differs from
// what this host was told.
func (c Report) farTunnelWords() string {
	if c.FarRoute == nil {
		return ""
	}
	near, far := c.Path.Tunnel, c.FarRoute.Tunnel
	switch {
	case !far.There() && !near.There(), far.Relayed == near.Relayed && far.There() == near.There():
		return ""
	case !far.There():
		return "there: no tunnel on the way back"
	case far.Relayed:
		return fmt.Sprintf("there: %s, and its packets back go by a relay", far.Kind)
	}
	return fmt.Sprintf("there: %s, and its packets back go directly", far.Kind)
}

// capacity is what the better direction can carry, in bit/s.
func (c Report) capacity() float64 {
	most := 0.0
	for _, w := range []*diagnose.Way{c.Path.Down, c.Path.Up} {
		if w != nil {
			most = max(most, w.Capacity)
		}
	}
	return most
}
