package probe

import (
	"errors"
	"fmt"
	"net"

	"unchoke/internal/flow"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// ErrStarved is of a check that got no answer on a path which loses most packets, or
// keeps them for seconds, before anything is sent: what its record has says so.
var ErrStarved = errors.New("something drops most packets on this path, or keeps them in a queue")

// starved is the error of a test that got no answer, with what echo probes say of the
// path: where they show that it answers nobody, the server is not to blame.
func starved(err error, run *record.Run) error {
	unanswered := timedOut(err) || errors.Is(err, iperf3.ErrBusy) || errors.Is(err, iperf3.ErrVanished)
	how, starved := flow.Starved(flow.Unloaded(run))
	if !unanswered || !starved {
		return err
	}
	return hint.With(
		fmt.Errorf("%w; but %s before this test sent anything: %w", err, how, ErrStarved),
		"find out what fills the path or drops its packets (other traffic, also above a policer's rate or as acknowledgements on a thin way back; a bad radio link), and check again then",
	)
}

// timedOut says that a connection did not come up in time.
func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}
