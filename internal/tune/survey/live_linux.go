package survey

import (
	"errors"
	"fmt"
	"slices"

	"unchoke/internal/linux/device"
	"unchoke/internal/linux/route"
	"unchoke/internal/tune"
)

// readLive reads the devices that are up and the routes.
func readLive(f *tune.Facts, host tune.Host) error {
	devices, err := device.List()
	if err != nil {
		return err
	}
	routes, err := route.List()
	if err != nil {
		return err
	}
	names := map[int]string{}
	for _, d := range devices {
		names[d.Index] = d.Name
	}
	var errs []error
	for _, d := range devices {
		if !d.Up {
			continue
		}
		tree, err := readQdisc(host, d.Name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f.Devices = append(f.Devices, tune.Device{
			Name: d.Name, Kind: d.Kind, TxQueues: d.TxQueues, Loopback: d.Kind == "loopback",
			Qdisc: tree, Lower: lower(d, devices, routes, names),
		})
	}
	for _, r := range routes {
		words, err := r.Words(names[r.Index], protocols[r.Protocol])
		if err != nil {
			errs = append(errs, fmt.Errorf("read the route to %v: %w", r.Prefix, err))
			continue
		}
		key := tune.RouteKey{Prefix: r.Prefix.String(), Device: names[r.Index], Table: r.Table, Metric: r.Metric, TOS: r.TOS}
		f.Routes = append(f.Routes, tune.HostRoute{
			Key: key, Value: tune.RouteValue{CC: r.CC, Message: r.Message}, Protocol: protocols[r.Protocol], Shared: r.Shared, Words: words,
		})
	}
	return errors.Join(errs...)
}

func readQdisc(host tune.Host, name string) (tune.QdiscValue, error) {
	value, err := host.Read(tune.Qdisc, name)
	if err == nil && value == nil {
		err = errors.New("it has none")
	}
	if err != nil {
		return tune.QdiscValue{}, fmt.Errorf("read the qdisc of %s: %w", name, err)
	}
	tree, err := tune.Decode[tune.QdiscValue](value)
	if err != nil {
		return tune.QdiscValue{}, err
	}
	return *tree, nil
}

// lower are the devices that a device's packets leave by: the one that it is
// bound to, else, of a tunnel, those of the default routes.
func lower(d device.Device, all []device.Device, routes []route.Entry, names map[int]string) []string {
	if d.Kind == "" || d.Kind == "loopback" || d.Kind == "veth" {
		return nil
	}
	if name := names[d.Lower]; d.Lower != 0 && name != "" {
		return []string{name}
	}
	var out []string
	for _, r := range routes {
		hardware := slices.ContainsFunc(all, func(x device.Device) bool { return x.Index == r.Index && x.Kind == "" })
		if r.Prefix.Bits() == 0 && r.Index != d.Index && hardware && !slices.Contains(out, names[r.Index]) {
			out = append(out, names[r.Index])
		}
	}
	return out
}

// protocols are the makers of routes (linux/rtnetlink.h, iproute2's
// rt_protos).
var protocols = map[uint8]string{2: "kernel", 3: "boot", 4: "static", 9: "ra", 11: "zebra", 12: "bird", 16: "dhcp", 42: "babel", 186: "bgp", 188: "ospf", 189: "rip", 192: "eigrp"}
