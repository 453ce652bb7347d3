package audit

import (
	"net/netip"
	"os"

	"unchoke/internal/linux/device"
	"unchoke/internal/linux/route"
	"unchoke/internal/record"
)

// anywhere is an address that only a default route leads to (RFC 7535: it
// answers nobody's questions). Nothing is sent there.
var anywhere = netip.MustParseAddr("192.31.196.1")

// NICs tells what the devices have on that a stream's packets pass, and that of
// the default route. Those that cannot be asked are left out.
func NICs(r record.Route) []record.NIC {
	var out []record.NIC
	add := func(name string, use record.NICUse) {
		for _, known := range out {
			if known.Device == name {
				return
			}
		}
		o, err := device.OffloadsOf(name)
		if name == "" || err != nil {
			return
		}
		n := record.NIC{
			Device: name, Use: use, Driver: o.Driver,
			GSO: o.Features["tx-generic-segmentation"], TSO: o.Features["tx-tcp-segmentation"],
			GRO: o.Features["rx-gro"], UDP: o.Features["tx-udp-segmentation"], List: o.Features["rx-gro-list"],
		}
		if on, ok := o.Features["rx-udp-gro-forwarding"]; ok {
			n.Forwarding = &on
		}
		l := device.LinkOf(os.DirFS("/sys/class/net"), name)
		n.Speed, n.Duplex, n.Wireless = l.Speed, l.Duplex, l.Wireless
		out = append(out, n)
	}
	add(r.Device, record.OnRoute)
	if r.Tunnel.Underlay != nil {
		add(r.Tunnel.Underlay.Device, record.OnUnderlay)
	}
	if way, err := route.Get(anywhere, 0); err == nil {
		if dev, err := device.ByIndex(way.Index); err == nil {
			add(dev.Name, record.DefaultRoute)
		}
	}
	return out
}
