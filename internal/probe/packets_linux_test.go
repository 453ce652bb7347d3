//go:build !slim

package probe

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"unchoke/internal/linux/packet"
	"unchoke/internal/probe/servertest"
	"unchoke/internal/record"
)

// The headers of both lone streams are read, and of no other: all that arrived, by
// them, arrived by the test's own count.
func TestHeadersOfACheck(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	to := servertest.Serve(t)
	switch tap, err := packet.Open("lo", to, to); {
	case errors.Is(err, fs.ErrPermission):
		t.Skip("may not read the headers of packets: run as root")
	case err != nil:
		t.Fatal(err)
	default:
		tap.Close()
	}
	run := record.New(to.String(), "test", time.Now())
	run.Route.Device = "lo"
	if err := Check(t.Context(), run, Options{Address: to.Addr(), Port: to.Port(), Quick: true, Wait: time.Second}); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, tr := range run.Transfers {
		if tr.Packets == nil {
			continue
		}
		read++
		if tr.Streams != 1 || tr.Protocol != record.TCP {
			t.Errorf("%s has headers", tr.Name)
		}
		sum := 0.0
		for _, n := range tr.Packets.Bytes {
			sum += float64(n)
		}
		if whole := tr.Rate * tr.Duration / 8; !tr.Packets.Cut && tr.Packets.Missed == 0 && (sum < 0.9*whole || sum > 1.1*whole) {
			t.Errorf("%s: %.0f bytes by the headers, %.0f by the test", tr.Name, sum, whole)
		}
		if tr.Packets.After < -0.1 || tr.Packets.After > 0.5 { // a server may begin before it says so
			t.Errorf("%s: the first packet came %v s after the test began", tr.Name, tr.Packets.After)
		}
	}
	if read != 2 {
		t.Errorf("%d transfers have headers", read)
	}
}
