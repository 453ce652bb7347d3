package probe

import (
	"errors"
	"fmt"
	"net"

	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// ErrStarved is of a check that got no answer on a path which loses most packets
// before anything is sent: what its record has says so.
var ErrStarved = errors.New("something drops most packets on this path")

// starved is the error of a test that got no answer, with what the idle echo probes
// say of the path: where most of them were lost before anything was sent, the server
// is not to blame. A path that answers none may just not answer echo probes.
func starved(err error, idle *record.Echo) error {
	unanswered := timedOut(err) || errors.Is(err, iperf3.ErrBusy) || errors.Is(err, iperf3.ErrVanished)
	if idle == nil || !unanswered {
		return err
	}
	all, lost := len(idle.Probes), 0
	for _, p := range idle.Probes {
		if p.RTT == 0 {
			lost++
		}
	}
	if all < fewestProbes || lost == all || float64(lost) < mostLost*float64(all) {
		return err
	}
	return hint.With(
		fmt.Errorf("%w; but %d of %d echo probes were lost before this test sent anything: %w", err, lost, all, ErrStarved),
		"find out what fills the path or drops its packets (other traffic above a policer's rate, a bad radio link), and check again then",
	)
}

// timedOut says that a connection did not come up in time.
func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

const (
	// fewestProbes tell a half from a fifth.
	fewestProbes = 20
	// mostLost: TCP that loses half of its packets opens connections in vain.
	mostLost = 0.5
)
