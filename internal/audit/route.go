package audit

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"unchoke/internal/linux/device"
	"unchoke/internal/linux/route"
	"unchoke/internal/record"
)

// Route returns the way that this host's packets take to addr. Package tunnel
// tells what tunnel it leads through.
func Route(addr netip.Addr) (record.Route, error) {
	addr = addr.Unmap()
	var out int
	if zone := addr.Zone(); zone != "" {
		dev, err := net.InterfaceByName(zone)
		if err != nil {
			return record.Route{}, fmt.Errorf("find the device of %s: %w", addr, err)
		}
		out = dev.Index
	}
	way, err := route.Get(addr, out)
	if errors.Is(err, errors.ErrUnsupported) {
		return guess(addr)
	}
	if err != nil {
		return record.Route{}, err
	}
	dev, err := device.ByIndex(way.Index)
	if err != nil {
		return record.Route{}, err
	}
	qdiscs, err := device.Qdiscs(way.Index)
	if err != nil {
		return record.Route{}, err
	}
	r := record.Route{
		Address: addr.String(),
		Source:  way.Source.String(),
		Device:  dev.Name,
		MTU:     dev.MTU,
		CC:      way.CC,
		Qdiscs:  []record.Qdisc{},
	}
	if way.Gateway.IsValid() {
		r.Gateway = way.Gateway.String()
	}
	if way.MTU != 0 {
		r.MTU = way.MTU
	}
	for _, q := range qdiscs {
		r.Qdiscs = append(r.Qdiscs, record.Qdisc{Kind: q.Kind, Handle: q.Handle.String(), Parent: q.Parent.String()})
	}
	return r, nil
}

// guess finds the source address and its device as any system tells them: from
// a UDP socket that is connected and never sends.
func guess(addr netip.Addr) (record.Route, error) {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, 9)))
	if err != nil {
		return record.Route{}, fmt.Errorf("get route to %s: %w", addr, err)
	}
	defer conn.Close()
	source := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
	dev, err := owner(source.WithZone(""))
	if err != nil {
		return record.Route{}, fmt.Errorf("find the device of %s: %w", source, err)
	}
	return record.Route{
		Address: addr.String(),
		Source:  source.String(),
		Device:  dev.Name,
		MTU:     dev.MTU,
		Qdiscs:  []record.Qdisc{},
	}, nil
}

// owner is the device that has an address.
func owner(addr netip.Addr) (net.Interface, error) {
	devices, err := net.Interfaces()
	if err != nil {
		return net.Interface{}, err
	}
	for _, dev := range devices {
		addrs, err := dev.Addrs()
		if err != nil {
			continue // gone since it was listed
		}
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && n.IP.Equal(addr.AsSlice()) {
				return dev, nil
			}
		}
	}
	return net.Interface{}, errors.New("no device has this address")
}
