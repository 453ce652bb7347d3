package seen

import (
	"math"
	"testing"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

func TestOuter(t *testing.T) {
	sample := func(at float64, sent, resent, received, overtaken uint32, rtt float64) record.Sample {
		return record.Sample{At: at, Info: tcpinfo.Info{
			DataSegsOut: sent, TotalRetrans: resent, DataSegsIn: received, RcvOOOPack: overtaken,
			RTT: seconds(rtt), MinRTT: seconds(0.03),
		}}
	}
	relay := &record.Relay{TCP: &record.Series{Sender: true, Samples: []record.Sample{
		sample(0, 0, 0, 0, 0, 0.03), sample(5, 1000, 10, 100, 1, 0.031), sample(10, 2000, 20, 200, 3, 0.031), sample(20, 3000, 20, 200, 3, 0.03),
	}}}
	stream := flow.Span{From: 5, To: 10}
	o := OuterOf(stream, relay, 5)
	if up, ok := o.Loses(record.Up); !ok || math.Abs(up-0.01) > 1e-9 {
		t.Errorf("up %v, %v", up, ok)
	}
	if down, ok := o.Loses(record.Down); !ok || math.Abs(down-0.02) > 1e-9 {
		t.Errorf("down %v, %v", down, ok)
	}
	for i := range relay.TCP.Samples {
		relay.TCP.Samples[i].Info.RTT = seconds(0.045) // delay varies: the least was luck
	}
	if _, ok := OuterOf(stream, relay, 5).Loses(record.Up); !ok {
		t.Error("a delay that varies is taken for a queue")
	}
	for i := range relay.TCP.Samples[1:] {
		relay.TCP.Samples[1+i].Info.RTT = seconds(0.1) // a queue of its own making
	}
	if _, ok := OuterOf(stream, relay, 5).Loses(record.Up); ok {
		t.Error("what overflowed its own queue is taken for loss on the path")
	}
	if OuterOf(stream, nil, 5).Known || OuterOf(flow.Span{From: 50, To: 51}, relay, 5).Known {
		t.Error("known, though nobody looked")
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
