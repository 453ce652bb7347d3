package tunnel

import (
	"context"
	"net/netip"

	"unchoke/internal/record"
)

// deviceState is that of a tunnel that the kernel knows all of: its far end is
// the device's own.
func deviceState(kind string, remote netip.Addr) state {
	s := state{program: "kernel", carrier: record.Kernel, nearTCP: record.Kernel}
	if !remote.IsValid() || remote.IsUnspecified() || remote.IsMulticast() {
		s.unknown = append(s.unknown, "the far end of the "+kind+" tunnel: the device has none of its own, but one a neighbour")
		return s
	}
	s.via, s.endpoint = record.Direct, remote.String()
	return s
}

func askDevice(_ context.Context, _ host, q query) (state, error) {
	return deviceState(q.device.Kind, q.device.Remote), nil
}
