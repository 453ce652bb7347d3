package route

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/rtnl"
)

// Words are what ip route needs beside the prefix to make the route as it is, but for its
// congestion control: via 192.0.2.1 dev eth0 proto dhcp src 192.0.2.7 metric 100. What
// they left out, the kernel would take away.
func (e Entry) Words(device, protocol string) (string, error) {
	if len(e.Message) < unix.SizeofRtMsg {
		return "", errShort
	}
	var gateway, source netip.Addr
	var metrics []string
	object := uint32(0)
	ad := rtnl.NewDecoder(e.Message[unix.SizeofRtMsg:])
	for ad.Next() {
		switch ad.Type() {
		case unix.RTA_GATEWAY:
			ad.Do(address(&gateway))
		case unix.RTA_VIA:
			ad.Do(via(&gateway))
		case rtaNexthopID:
			object = ad.Uint32()
		case unix.RTA_PREFSRC:
			ad.Do(address(&source))
		case unix.RTA_METRICS:
			ad.Nested(func(ad *rtnl.Decoder) error {
				metrics = metricWords(ad)
				return nil
			})
		}
	}
	if err := ad.Err(); err != nil {
		return "", err
	}
	var words []string
	add := func(there bool, format string, args ...any) {
		if there {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(object != 0, "nhid %d", object)
	add(object == 0 && gateway.Is6() && e.Prefix.Addr().Is4(), "via inet6 %v", gateway)
	add(object == 0 && gateway.IsValid() && gateway.Is4() == e.Prefix.Addr().Is4(), "via %v", gateway)
	add(object == 0, "dev %s", device)
	add(e.TOS != 0, "tos %#x", e.TOS)
	add(e.Table != unix.RT_TABLE_MAIN, "table %d", e.Table)
	add(protocol != "", "proto %s", protocol)
	add(source.IsValid(), "src %v", source)
	add(e.Metric != 0, "metric %d", e.Metric)
	add(object == 0 && binary.NativeEndian.Uint32(e.Message[8:])&unix.RTNH_F_ONLINK != 0, "onlink")
	return strings.Join(append(words, metrics...), " "), nil
}

// metricNames are ip route's, of the metrics that it takes as plain numbers.
var metricNames = map[uint16]string{
	unix.RTAX_MTU: "mtu", unix.RTAX_WINDOW: "window", unix.RTAX_SSTHRESH: "ssthresh", unix.RTAX_CWND: "cwnd",
	unix.RTAX_ADVMSS: "advmss", unix.RTAX_REORDERING: "reordering", unix.RTAX_HOPLIMIT: "hoplimit",
	unix.RTAX_INITCWND: "initcwnd", unix.RTAX_INITRWND: "initrwnd", unix.RTAX_QUICKACK: "quickack",
}

// metricWords are the metrics in ip route's words. A bit of RTAX_LOCK, which comes first,
// locks the metric of that number.
func metricWords(ad *rtnl.Decoder) []string {
	var words []string
	locked := uint32(0)
	for ad.Next() {
		switch name, plain := metricNames[ad.Type()]; {
		case ad.Type() == unix.RTAX_LOCK:
			locked = ad.Uint32()
		case plain && locked&(1<<ad.Type()) != 0:
			words = append(words, fmt.Sprintf("%s lock %d", name, ad.Uint32()))
		case plain:
			words = append(words, fmt.Sprintf("%s %d", name, ad.Uint32()))
		}
	}
	return words
}
