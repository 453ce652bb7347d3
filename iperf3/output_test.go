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

// What a server tells of UDP is what it received, interval by interval.
func TestServerOutputOfUDP(t *testing.T) {
	addr, _ := serve(t, &Server{})
	r := run(t, addr, Test{Protocol: UDP, Duration: 700 * time.Millisecond, Rate: 4e6, Length: 1000, Streams: 2, GetServerOutput: true})
	var out wire.Output
	if err := json.Unmarshal(r.ServerOutputJSON, &out); err != nil {
		t.Fatal(err)
	}
	if out.Start.Accepted.Host != "127.0.0.1" || out.Start.Accepted.Port == 0 {
		t.Errorf("accepted from %+v", out.Start.Accepted)
	}
	if len(out.End.Streams) != 2 {
		t.Fatalf("%d streams at the end, want 2", len(out.End.Streams))
	}
	bytes, packets := map[int]int64{}, map[int]int64{}
	for _, i := range out.Intervals {
		for _, s := range i.Streams {
			if s.Packets == nil || s.Sender {
				t.Fatalf("interval %+v", s)
			}
			bytes[s.Socket] += s.Bytes
			packets[s.Socket] += *s.Packets
		}
	}
	for n, s := range out.End.Streams {
		u := s.UDP
		if u.Packets < 100 || bytes[u.Socket] != u.Bytes || packets[u.Socket] != u.Packets || u.Bytes != (u.Packets-u.Lost)*1000 {
			t.Errorf("stream %d: %+v, in intervals %d bytes and %d packets", n, u, bytes[u.Socket], packets[u.Socket])
		}
		if got := r.Remote.Streams[n].Packets; got != u.Packets {
			t.Errorf("stream %d: %d packets, its results say %d", n, u.Packets, got)
		}
	}
}
