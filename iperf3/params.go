package iperf3

import (
	"fmt"
	"time"

	"unchoke/iperf3/internal/wire"
)

// defaultCongestion is sent where a test leaves each host its default.
//
// Servers before 3.19 keep an algorithm once asked for, for every later test
// that names none; if the kernel refuses it, all of those fail. An empty name
// makes setsockopt fail with EINVAL, which ends the test. A name that no kernel
// has gives ENOENT, at which every version goes on with the system's default.
const defaultCongestion = "default"

// remoteCongestion is what the server is asked for: an algorithm only where it
// sends, since one that it is not allowed ends the test whoever sends.
func (t *Test) remoteCongestion() string {
	switch {
	case t.Protocol == UDP:
		return ""
	case t.Congestion == "", !t.Reverse && !t.Bidirectional:
		return defaultCongestion
	}
	return t.Congestion
}

// params encodes a test that withDefaults has completed.
func (t *Test) params(congestion, token string) wire.Params {
	return wire.Params{
		TCP: t.Protocol == TCP, UDP: t.Protocol == UDP,
		Omit:       wire.Seconds(t.Omit),
		Time:       wire.Seconds(t.Duration),
		Num:        wire.Number(t.Bytes),
		BlockCount: wire.Number(t.Blocks),
		MSS:        wire.Number(t.MSS), NoDelay: t.NoDelay,
		Parallel: wire.Number(t.Streams),
		Reverse:  t.Reverse, Bidirectional: t.Bidirectional,
		Window: wire.Number(t.Window), Length: wire.Number(t.Length),
		Bandwidth:   wire.Number(t.Rate),
		PacingTimer: wire.Number(t.PacingTimer / time.Microsecond),
		TOS:         wire.Number(t.TOS),
		Title:       t.Title, Congestion: congestion, AuthToken: token,
		GetServerOutput: wire.Flag(t.GetServerOutput), Counters64: wire.Flag(t.Counters64),
		ClientVersion: wire.Version,
	}
}

// testOf decodes what a client asked for and checks it.
func testOf(p *wire.Params) (Test, error) {
	t := Test{
		Protocol: TCP,
		Reverse:  p.Reverse, Bidirectional: p.Bidirectional,
		Duration: p.Time.Duration(time.Second), Omit: p.Omit.Duration(time.Second),
		Bytes: int64(p.Num), Blocks: int64(p.BlockCount),
		Streams: p.Parallel.Int(), Rate: int64(p.Bandwidth),
		Length: p.Length.Int(), Window: p.Window.Int(), MSS: p.MSS.Int(),
		NoDelay: p.NoDelay, Congestion: p.Congestion, TOS: p.TOS.Int(),
		PacingTimer:     p.PacingTimer.Duration(time.Microsecond),
		Counters64:      p.Counters64 != 0,
		GetServerOutput: p.GetServerOutput != 0,
		Title:           p.Title,
	}
	if p.UDP {
		t.Protocol = UDP
		if t.Length == 0 {
			t.Length = defaultUDPLength
		}
	}
	if t.Bytes != 0 || t.Blocks != 0 {
		t.Duration = 0 // some clients send iperf3's default beside a limit
	}
	if t.PacingTimer <= 0 {
		t.PacingTimer = DefaultPacingTimer
	}
	if t.Streams < 0 || t.Duration < 0 {
		return t, fmt.Errorf("negative parameter")
	}
	return t.complete()
}
