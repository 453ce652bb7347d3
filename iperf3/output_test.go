package iperf3

import (
	"encoding/json"
	"testing"
	"time"

	"unchoke/iperf3/internal/wire"
	"unchoke/tcpinfo"
)

// However long a test is and however many its flows, what a server remembers of
// it is bounded, and covers all of it at even distances.
func TestServerMemoryIsBounded(t *testing.T) {
	full := tcpinfo.Info{Length: 248} // as long as Linux 6.12's
	for _, c := range []struct {
		flows    int
		duration time.Duration
	}{{1, 10 * time.Second}, {1, 24 * time.Hour}, {16, time.Hour}, {2 * maxStreams, 2 * time.Hour}} {
		v := visit{traffic: &traffic{}}
		for n := range c.flows {
			v.traffic.flows = append(v.traffic.flows, &flow{id: streamID(n), sending: true})
		}
		most := 0
		for at := serverTick; at <= c.duration; at += serverTick {
			if !v.memory.wants() {
				continue
			}
			for _, f := range v.traffic.flows {
				f.samples = append(f.samples, Sample{At: at, Info: full})
			}
			most = max(most, c.flows*len(v.traffic.flows[0].samples))
			v.memory.thin(v.traffic.flows)
		}
		if most > maxServerSamples+c.flows {
			t.Errorf("%d flows, %v: %d samples", c.flows, c.duration, most)
		}
		samples := v.traffic.flows[c.flows-1].samples
		every := samples[0].At
		for n, s := range samples {
			if s.At != time.Duration(n+1)*every {
				t.Fatalf("%d flows, %v: sample %d at %v, the first at %v", c.flows, c.duration, n, s.At, every)
			}
		}
		if last := samples[len(samples)-1].At; c.duration-last >= every {
			t.Errorf("%d flows, %v: the last sample is at %v, one each %v", c.flows, c.duration, last, every)
		}
		doc := v.output()
		var out wire.Output
		if err := json.Unmarshal(doc, &out); err != nil || len(out.Intervals) != len(samples) {
			t.Errorf("%d flows, %v: output of %d bytes: %v", c.flows, c.duration, len(doc), err)
		}
		t.Logf("%d flows, %v: %d samples each, one each %v, %d bytes of output", c.flows, c.duration, len(samples), every, len(doc))
	}
}
