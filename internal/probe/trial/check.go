package trial

import (
	"fmt"

	"unchoke/internal/probe"
	"unchoke/internal/record"
)

// Check says which of the arms no trial could run, whatever the hosts.
func (o Options) Check() error {
	for _, a := range o.Arms {
		if err := o.check(a); err != nil {
			return fmt.Errorf("arm %s: %w", a.Name, err)
		}
	}
	if n := o.Neighbor; n != nil && (n.Window != 0 || n.Streams != 0 || n.Direction != "" || n.URL != nil) {
		return probe.Refuse(
			"a neighbor is one stream of the arm's direction, with an iperf3 server",
			"name its cc and, if it needs a server of its own, target: --neighbor cc=cubic,target=HOST:PORT",
		)
	}
	return nil
}

// sendable says which of the arms this host cannot send as it stands now.
func (o Options) sendable() error {
	for _, a := range o.Arms {
		if a.URL != nil || a.Direction == record.Down {
			continue
		}
		names := []string{a.CC}
		if o.Neighbor != nil {
			names = append(names, o.Neighbor.CC)
		}
		for _, name := range names {
			if err := probe.NearCC(name, o.Near); err != nil {
				return fmt.Errorf("arm %s: %w", a.Name, err)
			}
		}
	}
	return nil
}

func (o Options) check(a Side) error {
	shared := o.Neighbor != nil && !o.Neighbor.Server.IsValid() // in the arm's own test
	switch {
	case a.URL != nil && a.CC != "":
		return probe.Refuse(
			"the sender behind a URL cannot be told its congestion control from here",
			"compare two URLs: --arm target=URL --arm target=URL; or run `iperf3 -s` on that host and name it as the target",
		)
	case a.URL != nil && a.Direction == record.Up:
		return probe.Refuse("a URL is downloaded: there is nothing to send up", "leave direction= out, or name a host on which `iperf3 -s` runs")
	case a.URL != nil && a.Window != 0:
		return probe.Refuse("the socket buffers of a download cannot be chosen", "name a host on which `iperf3 -s` runs")
	case shared && a.URL == nil && a.Direction == record.Down:
		return probe.Refuse(
			"a stock server runs one test at a time and gives all streams that it sends one congestion control, so a neighbor that it sends needs a second server",
			"on the far host: iperf3 -s -p 5202; here: --neighbor cc=NAME,target=HOST:5202",
		)
	case o.Neighbor != nil && !shared && o.Neighbor.Server == a.Server:
		return probe.Refuse(
			"the neighbor's server is the arm's own, and a stock server runs one test at a time",
			fmt.Sprintf("leave the neighbor's target out if the arms go up; or on the far host: iperf3 -s -p %d; here: --neighbor cc=NAME,target=HOST:%[1]d", a.Server.Port()+1),
		)
	case shared && a.URL != nil:
		return probe.Refuse(
			"a neighbor beside a download needs an iperf3 server",
			"on the far host: iperf3 -s; here: --neighbor cc=NAME,target=HOST",
		)
	}
	return nil
}
