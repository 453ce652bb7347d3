package iperf3

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/link"
	"unchoke/tcpinfo"
)

// stillUDP is a link of a flow that no worker serves.
type stillUDP struct{ link.UDP }

// The workers run before the end of the omitted part is marked. Where nothing
// is omitted, what they did until then counts.
func TestNothingOmitted(t *testing.T) {
	sender := &flow{id: 1, sending: true, udp: stillUDP{}}
	sender.packets.Add(1)
	sender.bytes.Add(1000)
	receiver := &flow{id: 3, udp: stillUDP{}}
	receiver.seq.Add(datagram.Header{Seq: 1}, 1000, time.Millisecond)
	receiver.bytes.Add(1000)
	tr := newTraffic(Test{Protocol: UDP, Length: 1000}, []*flow{sender, receiver})
	tr.start = time.Now()
	tr.endOmit()
	tr.stop()
	for _, f := range tr.flows {
		if s, r := f.stream(), f.report(); s.Packets != 1 || s.Bytes != 1000 || s.Start != 0 || r.OmittedPackets != 0 {
			t.Errorf("stream %d: %d packets of %d bytes from %v on, %d omitted", s.ID, s.Packets, s.Bytes, s.Start, r.OmittedPackets)
		}
	}
}

// stuckTCP is a link that takes nothing.
type stuckTCP struct{ link.TCP }

func (stuckTCP) Send(_ []byte, patience time.Duration) (int, error) {
	time.Sleep(patience)
	return 0, nil
}

func (stuckTCP) Info() (tcpinfo.Info, error) { return tcpinfo.Info{}, nil }

// Samples are taken as often as was asked, and at the end.
func TestSampling(t *testing.T) {
	for every, want := range map[time.Duration]int{0: 20, 50 * time.Millisecond: 8} {
		synctest.Test(t, func(t *testing.T) {
			ours, server := net.Pipe()
			defer server.Close()
			const duration = 410 * time.Millisecond
			test := Test{Streams: 1, Length: 1000, Duration: duration}
			s := &session{
				client:  &Client{SampleEvery: every},
				ctl:     &control{conn: ours, timeout: time.Second},
				result:  &Result{Test: test},
				traffic: newTraffic(test, []*flow{{id: 1, sending: true, tcp: stuckTCP{}}}),
			}
			if err := s.measure(context.Background(), s.ctl.listen()); err != nil {
				t.Fatal(err)
			}
			samples := s.traffic.flows[0].samples
			if len(samples) != want+1 {
				t.Fatalf("every %v: %d samples, want %d and one at the end", every, len(samples), want)
			}
			for n, sample := range samples[:want] {
				if at := time.Duration(n+1) * s.client.sampleEvery(); sample.At != at {
					t.Errorf("every %v: sample %d at %v, want %v", every, n, sample.At, at)
				}
			}
			if end := samples[want].At; end != duration {
				t.Errorf("every %v: last sample at %v, want %v", every, end, duration)
			}
		})
	}
}
