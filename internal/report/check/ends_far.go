//go:build !slim

package check

import (
	"fmt"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// farLines are those of a far host that told.
func (c Report) farLines() []string {
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
