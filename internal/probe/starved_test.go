package probe

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

func TestStarved(t *testing.T) {
	busy := fmt.Errorf("iperf3 test with far: %w: no answer for 10s", iperf3.ErrBusy)
	series := func(answered, lost int) *record.Run {
		e := record.Echo{Probes: make([]record.Probe, answered+lost)}
		for i := range answered {
			e.Probes[i].RTT = 0.1
		}
		return &record.Run{Echoes: []record.Echo{e}}
	}
	_, unconnected := (&net.Dialer{Timeout: 1}).Dial("tcp", "127.0.0.1:9")
	for name, c := range map[string]struct {
		err  error
		run  *record.Run
		want bool
	}{
		"most are lost":          {busy, series(5, 45), true},
		"few are lost":           {busy, series(45, 5), false},
		"none is answered":       {busy, series(0, 50), false},
		"too few probes":         {busy, series(1, 9), false},
		"no probes":              {busy, &record.Run{}, false},
		"another error":          {iperf3.ErrRefused, series(5, 45), false},
		"no connection in time":  {fmt.Errorf("iperf3 test with far: %w", unconnected), series(5, 45), true},
		"the server is silenced": {iperf3.ErrVanished, series(5, 45), true},
	} {
		got := starved(c.err, c.run)
		if !errors.Is(got, c.err) {
			t.Errorf("%s: the error is no longer what it was: %v", name, got)
		}
		told := strings.Contains(got.Error(), "45 of 50 echo probes were lost") && strings.Contains(hint.Of(got), "drops its packets")
		if told != c.want || errors.Is(got, ErrStarved) != c.want {
			t.Errorf("%s: %v, hint %q", name, got, hint.Of(got))
		}
	}
}
