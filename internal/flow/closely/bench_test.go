package closely

import (
	"testing"
	"time"

	"unchoke/internal/flow/lately"
	"unchoke/internal/live"
	"unchoke/tcpinfo"
)

// What a snapshot takes of each connection that is looked at closely, after 30 s.
func BenchmarkFigures(b *testing.B) {
	i := tcpinfo.Info{SndMSS: 1448, SndCwnd: 100, Unacked: 90, SndWnd: 1 << 20, NotsentBytes: 1 << 20, RTT: 50 * time.Millisecond}
	at := func(k int) lately.Look { return lately.Look{At: time.Duration(k) * 20 * time.Millisecond, Info: &i} }
	a := Begin(at(0), true, false)
	for k := 1; k < 1500; k++ {
		i.BytesAcked += 12_500
		i.RTT += time.Duration(k*7919%1000) * time.Microsecond
		if k%50 == 0 {
			i.TotalRetrans++
			i.RTT = 50 * time.Millisecond
		}
		a.Add(at(k), 0)
	}
	var f live.Flow
	for b.Loop() {
		a.toldAt = 0 // each time anew
		a.Figures(&f)
	}
}
