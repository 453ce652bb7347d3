//go:build !slim

package iperf3

import (
	"errors"
	"fmt"
	"net"

	"unchoke/iperf3/internal/link"
)

// The ways in which a server cannot be reached, apart from ErrRefused.
var (
	// ErrUnanswered: nothing answered the attempt to connect.
	ErrUnanswered error = &failure{
		"the server does not answer",
		"see that the far host is up and the address right; if it answers ping, a firewall drops the port (5201 unless you name another): open it there, for TCP and UDP",
	}
	// ErrUnreachable: this host, a router or a firewall said that the way is closed.
	ErrUnreachable error = &failure{
		"the far host cannot be reached",
		"see that it is up and the address right, and that this host's interface or VPN is up (`ip route get ADDRESS` shows which it takes); a firewall that rejects the port says the same",
	}
)

// unopened says why a control connection did not come up.
func unopened(err error) error {
	var network net.Error
	switch {
	case link.IsRefused(err), link.IsReset(err):
		return fmt.Errorf("%w (%w)", ErrRefused, err)
	case link.IsUnreachable(err):
		return fmt.Errorf("%w (%w)", ErrUnreachable, err)
	case errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("%w (%w)", ErrUnanswered, err)
	}
	return err
}
