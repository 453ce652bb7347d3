package iperf3

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"unchoke/tcpinfo"
)

// testTime is how long each test of a pair of programs lasts.
const testTime = 400 * time.Millisecond

// shapes are the tests that both roles must master: every transport and
// direction, alone and in parallel. With -short they are one of each transport,
// in both directions.
func shapes() (list []Test) {
	counts, directions := []int{1, 4}, []string{"up", "down", "both"}
	if testing.Short() {
		counts, directions = []int{1}, []string{"both"}
	}
	for _, protocol := range []Protocol{TCP, UDP} {
		for _, streams := range counts {
			for _, direction := range directions {
				t := Test{
					Protocol: protocol, Streams: streams, Duration: testTime, Rate: 20e6 / int64(streams),
					Reverse: direction == "down", Bidirectional: direction == "both",
				}
				if protocol == TCP {
					t.Rate, t.AtOnce = 0, streams > 1 && direction != "both"
				}
				list = append(list, t)
			}
		}
	}
	return list
}

func shapeName(t Test) string {
	direction := "up"
	if t.Reverse {
		direction = "down"
	} else if t.Bidirectional {
		direction = "both"
	}
	return fmt.Sprintf("%s/%s/%d", t.Protocol, direction, t.Streams)
}

// stockArgs are the options by which stock iperf3 runs the same test.
func stockArgs(t Test) []string {
	args := []string{"-t", "1", "-P", fmt.Sprint(t.Streams)}
	if t.Protocol == UDP {
		args = append(args, "-u", "-b", fmt.Sprint(t.Rate))
	}
	if t.Reverse {
		args = append(args, "-R")
	}
	if t.Bidirectional {
		args = append(args, "--bidir")
	}
	return args
}

// checkResult verifies what holds of every complete test.
func checkResult(t *testing.T, r *Result) {
	t.Helper()
	want := r.Test.Streams
	if r.Test.Bidirectional {
		want *= 2
	}
	if len(r.Streams) != want || len(r.Remote.Streams) != want {
		t.Fatalf("%d streams and %d reports of the server, want %d", len(r.Streams), len(r.Remote.Streams), want)
	}
	if r.Elapsed < testTime-5*time.Millisecond || r.Elapsed > testTime+300*time.Millisecond {
		t.Errorf("elapsed %v, want about %v", r.Elapsed, testTime)
	}
	for n, s := range r.Streams {
		if s.ID != streamID(n) {
			t.Errorf("stream %d has number %d, want %d", n, s.ID, streamID(n))
		}
		if s.Remote == nil {
			t.Errorf("stream %d: the server does not report on it", s.ID)
			continue
		}
		if s.Bytes == 0 || s.Remote.Bytes == 0 {
			t.Errorf("stream %d: %d bytes here, %d there", s.ID, s.Bytes, s.Remote.Bytes)
		}
		checkSamples(t, s)
		switch {
		case r.Test.Protocol == TCP:
			last := s.Samples[len(s.Samples)-1].Info
			if !last.Has(tcpinfo.FieldTotalRetrans) || last.RTT == 0 {
				t.Errorf("stream %d: TCP_INFO %+v", s.ID, last)
			}
			if s.Sending != (s.Retransmits >= 0) {
				t.Errorf("stream %d: sending %v, %d retransmits", s.ID, s.Sending, s.Retransmits)
			}
		case s.Sending:
			if s.Sent.Packets == 0 || s.Packets != s.Sent.Packets || s.Remote.Packets > s.Packets {
				t.Errorf("stream %d: %d packets, sent %+v, the server knows of %d", s.ID, s.Packets, s.Sent, s.Remote.Packets)
			}
		default:
			if s.Packets == 0 || s.Malformed != 0 || (s.Packets-s.Lost)*int64(r.Test.Length) != s.Bytes {
				t.Errorf("stream %d: %d packets of %d B, %d lost, %d malformed, %d bytes", s.ID, s.Packets, r.Test.Length, s.Lost, s.Malformed, s.Bytes)
			}
		}
		if r.Test.Rate > 0 {
			got := float64(s.Bytes) * 8 / (s.End - s.Start).Seconds()
			if got < 0.3*float64(r.Test.Rate) || got > 1.3*float64(r.Test.Rate) { // many tests share the cores
				t.Errorf("stream %d: %.3g bit/s, want about %d", s.ID, got, r.Test.Rate)
			}
		}
	}
	if r.Remote.CPU.Total <= 0 || r.Local.CPU.Total <= 0 {
		t.Errorf("processor time: %+v here, %+v there", r.Local.CPU, r.Remote.CPU)
	}
}

// checkSamples verifies what holds of samples on a loaded machine, too, where
// ticks come late or not at all; TestSampling counts them.
func checkSamples(t *testing.T, s Stream) {
	t.Helper()
	if len(s.Samples) == 0 {
		t.Fatalf("stream %d has no samples", s.ID)
	}
	for n, next := range s.Samples[1:] {
		if before := s.Samples[n]; next.At <= before.At || next.Bytes < before.Bytes {
			t.Errorf("stream %d: %d bytes at %v, then %d at %v", s.ID, before.Bytes, before.At, next.Bytes, next.At)
		}
	}
	if last := s.Samples[len(s.Samples)-1]; last.At != s.End {
		t.Errorf("stream %d: last sample at %v, its end at %v", s.ID, last.At, s.End)
	}
}

func TestClientWithStockServer(t *testing.T) {
	t.Parallel()
	for _, test := range shapes() {
		t.Run(shapeName(test), func(t *testing.T) {
			t.Parallel()
			checkResult(t, run(t, stockServer(t), test))
		})
	}
}

func TestClientWithOurServer(t *testing.T) {
	t.Parallel()
	for _, test := range shapes() {
		t.Run(shapeName(test), func(t *testing.T) {
			t.Parallel()
			addr, seen := serve(t, &Server{})
			checkResult(t, run(t, addr, test))
			waitFor(t, "the server's report", func() bool { return len(seen.all()) == 1 })
			if v := seen.all()[0]; v.Err != nil || v.Sent+v.Received == 0 {
				t.Errorf("the server reports %+v", v)
			}
		})
	}
}

func TestStockClientWithOurServer(t *testing.T) {
	t.Parallel()
	for _, test := range shapes() {
		t.Run(shapeName(test), func(t *testing.T) {
			t.Parallel()
			addr, seen := serve(t, &Server{})
			r := stockClient(t, addr, stockArgs(test)...)
			if r.Error != "" {
				t.Fatal(r.Error)
			}
			want := test.Streams
			if test.Bidirectional {
				want *= 2
			}
			if len(r.End.Streams) != want {
				t.Fatalf("%d streams, want %d", len(r.End.Streams), want)
			}
			for n, s := range r.End.Streams {
				if test.Protocol == TCP && (s.Sender.Bytes == 0 || s.Receiver.Bytes == 0) ||
					test.Protocol == UDP && (s.UDP.Bytes == 0 || s.UDP.Packets == 0) {
					t.Errorf("stream %d: %+v", n, s)
				}
			}
			waitFor(t, "the server's report", func() bool { return len(seen.all()) == 1 })
			if v := seen.all()[0]; v.Err != nil || v.Sent+v.Received == 0 {
				t.Errorf("the server reports %+v", v)
			}
		})
	}
}

func TestClientOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	for _, c := range []struct {
		name string
		test Test
		want func(t *testing.T, r *Result)
	}{
		{"omit", Test{Duration: testTime, Omit: 500 * time.Millisecond}, func(t *testing.T, r *Result) {
			// Omit is a whole second on the wire.
			s := r.Streams[0]
			if s.Start < time.Second || s.Start > 1300*time.Millisecond || r.Elapsed > testTime+300*time.Millisecond {
				t.Errorf("measured from %v to %v", s.Start, s.End)
			}
			if total := s.Samples[len(s.Samples)-1].Bytes; s.Bytes >= total {
				t.Errorf("%d bytes measured of %d in all", s.Bytes, total)
			}
		}},
		{"omit UDP down", Test{Protocol: UDP, Reverse: true, Duration: testTime, Omit: time.Second, Rate: 5e6}, func(t *testing.T, r *Result) {
			s := r.Streams[0]
			if want := int64(float64(r.Test.Rate) / 8 / float64(r.Test.Length) * r.Elapsed.Seconds()); s.Packets < want*7/10 || s.Packets > want*13/10 {
				t.Errorf("%d packets, want about %d", s.Packets, want)
			}
		}},
		{"congestion", Test{Duration: testTime, Congestion: "reno"}, func(t *testing.T, r *Result) {
			if r.Streams[0].Congestion != "reno" || r.Local.Congestion != "reno" {
				t.Errorf("used %q", r.Local.Congestion)
			}
		}},
		{"congestion down", Test{Duration: testTime, Congestion: "reno", Reverse: true}, func(t *testing.T, r *Result) {
			if r.Remote.Congestion != "reno" {
				t.Errorf("used %q", r.Remote.Congestion)
			}
		}},
		{"congestion of each stream", Test{Duration: testTime, Streams: 2, Congestions: []string{"reno", "cubic"}}, func(t *testing.T, r *Result) {
			for i, want := range []string{"reno", "cubic"} {
				if got := r.Streams[i].Congestion; got != want {
					t.Errorf("stream %d used %q, want %s", i+1, got, want)
				}
			}
		}},
		{"window", Test{Duration: testTime, Window: 64 << 10}, func(t *testing.T, r *Result) {
			if got := r.Streams[0].Buffer; got != 64<<10 {
				t.Errorf("a buffer of %d bytes", got)
			}
			for _, s := range r.Streams[0].Samples {
				if s.Info.NotsentBytes+s.Info.Unacked*s.Info.SndMSS > 4*64<<10 {
					t.Errorf("%d unsent and %d in flight of a window of 64 KiB", s.Info.NotsentBytes, s.Info.Unacked)
				}
			}
		}},
		{"MSS", Test{Duration: testTime, MSS: 1000, Reverse: true}, func(t *testing.T, r *Result) {
			if got := r.Streams[0].Samples[0].Info.RcvMSS; got > 1000 {
				t.Errorf("received segments of %d bytes", got)
			}
		}},
		{"rate", Test{Duration: testTime, Rate: 30e6}, checkRate(30e6)},
		{"rate down", Test{Duration: testTime, Rate: 30e6, Reverse: true}, checkRate(30e6)},
		{"length", Test{Protocol: UDP, Duration: testTime, Rate: 10e6, Length: 400}, func(t *testing.T, r *Result) {
			if s := r.Streams[0]; s.Sent.Bytes != 400*s.Sent.Packets || s.Remote.Bytes < 390*s.Remote.Packets {
				t.Errorf("sent %+v, received %+v", s.Sent, s.Remote)
			}
		}},
		{"64-bit counters", Test{Protocol: UDP, Duration: testTime, Rate: 10e6, Counters64: true, Bidirectional: true}, func(t *testing.T, r *Result) {
			for _, s := range r.Streams {
				if s.Lost > s.Packets/10 || s.Malformed > 0 || s.Remote.Lost > s.Remote.Packets/10 {
					t.Errorf("stream %d: %+v", s.ID, s.Remote)
				}
			}
		}},
		{"bytes", Test{Bytes: 3_000_000}, func(t *testing.T, r *Result) {
			if r.Streams[0].Bytes != 3_000_000 {
				t.Errorf("sent %d bytes", r.Streams[0].Bytes)
			}
		}},
		{"bytes down", Test{Bytes: 3_000_000, Reverse: true}, func(t *testing.T, r *Result) {
			if r.Streams[0].Bytes < 3_000_000 {
				t.Errorf("received %d bytes", r.Streams[0].Bytes)
			}
		}},
		{"bytes of four", Test{Bytes: 3_000_001, Streams: 4}, func(t *testing.T, r *Result) {
			var sum int64
			for _, s := range r.Streams {
				sum += s.Bytes
			}
			if sum != 3_000_001 {
				t.Errorf("sent %d bytes", sum)
			}
		}},
		{"blocks", Test{Protocol: UDP, Blocks: 50, Length: 1000, Rate: 10e6}, func(t *testing.T, r *Result) {
			if r.Streams[0].Sent.Packets != 50 {
				t.Errorf("sent %d packets", r.Streams[0].Sent.Packets)
			}
		}},
		{"nodelay, TOS, title", Test{Duration: testTime, NoDelay: true, TOS: 0x20, Title: "a title"}, func(*testing.T, *Result) {}},
		{"server output", Test{Duration: testTime, GetServerOutput: true}, func(t *testing.T, r *Result) {
			if !strings.Contains(r.ServerOutputText, "Accepted connection") && len(r.ServerOutputJSON) == 0 {
				t.Error("there is none")
			}
		}},
		{"no server output", Test{Duration: testTime}, func(t *testing.T, r *Result) {
			if r.ServerOutputText != "" || r.ServerOutputJSON != nil {
				t.Error("there is some")
			}
		}},
		{"trace", Test{Protocol: UDP, Duration: testTime, Reverse: true, Rate: 5e6, Trace: 20, PacingTimer: 100 * time.Microsecond}, func(t *testing.T, r *Result) {
			trace := r.Streams[0].Trace
			if len(trace) != 20 {
				t.Fatalf("%d packets", len(trace))
			}
			for n, p := range trace[1:] {
				// Until Linux has switched its time stamps on, which it leaves to a worker,
				// packets have the time at which they were read.
				stamped := n >= len(trace)/2
				if p.Seq <= trace[n].Seq || p.Sent < trace[n].Sent || stamped && p.Arrived < trace[n].Arrived {
					t.Errorf("%+v follows %+v", p, trace[n])
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Run("stock", func(t *testing.T) {
				t.Parallel()
				c.want(t, run(t, stockServer(t), c.test))
			})
			t.Run("ours", func(t *testing.T) {
				t.Parallel()
				addr, _ := serve(t, &Server{})
				c.want(t, run(t, addr, c.test))
			})
		})
	}
}

func checkRate(want float64) func(t *testing.T, r *Result) {
	return func(t *testing.T, r *Result) {
		got := float64(r.Streams[0].Bytes) * 8 / r.Elapsed.Seconds()
		if got < 0.3*want || got > 1.3*want { // many tests share the cores
			t.Errorf("%.3g bit/s, want %.3g", got, want)
		}
	}
}

func TestStockClientOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	for _, c := range []struct {
		name string
		args []string
		want func(t *testing.T, r stockResult, v Visit)
	}{
		{"omit", []string{"-t", "1", "-O", "1"}, func(t *testing.T, _ stockResult, v Visit) {
			if v.Test.Omit != time.Second || v.Elapsed < 900*time.Millisecond || v.Elapsed > 1500*time.Millisecond {
				t.Errorf("omitted %v, measured %v", v.Test.Omit, v.Elapsed)
			}
		}},
		{"congestion", []string{"-t", "1", "-C", "reno", "-R"}, func(t *testing.T, r stockResult, _ Visit) {
			if r.End.SenderCC != "reno" {
				t.Errorf("sent with %q", r.End.SenderCC)
			}
		}},
		{"window", []string{"-t", "1", "-w", "64K"}, func(t *testing.T, _ stockResult, v Visit) {
			if v.Test.Window != 64<<10 {
				t.Errorf("window %d", v.Test.Window)
			}
		}},
		{"MSS", []string{"-t", "1", "-M", "1000"}, func(t *testing.T, r stockResult, _ Visit) {
			if r.Start.TCPMSS > 1000 {
				t.Errorf("MSS %d", r.Start.TCPMSS)
			}
		}},
		{"rate down", []string{"-t", "1", "-b", "30M", "-R"}, func(t *testing.T, r stockResult, _ Visit) {
			if got := r.End.SumReceived.Bytes * 8; got < 25e6 || got > 35e6 {
				t.Errorf("%d bit in a second", got)
			}
		}},
		{"length", []string{"-t", "1", "-u", "-b", "10M", "-l", "400"}, func(t *testing.T, _ stockResult, v Visit) {
			if v.Test.Length != 400 || v.Streams[0].Bytes != 400*(v.Streams[0].Packets-v.Streams[0].Lost) {
				t.Errorf("length %d, %+v", v.Test.Length, v.Streams[0])
			}
		}},
		{"64-bit counters", []string{"-t", "1", "-u", "-b", "10M", "-l", "1000", "-R", "--udp-counters-64bit"}, func(t *testing.T, r stockResult, _ Visit) {
			if r.End.Sum.Packets < 500 || r.End.Sum.LostPackets > 50 {
				t.Errorf("%+v", r.End.Sum)
			}
		}},
		{"bytes", []string{"-n", "3M"}, func(t *testing.T, r stockResult, v Visit) {
			if v.Received == 0 || v.Received > r.End.SumSent.Bytes {
				t.Errorf("received %d of %d", v.Received, r.End.SumSent.Bytes)
			}
		}},
		{"bytes down", []string{"-n", "3M", "-R"}, func(t *testing.T, r stockResult, _ Visit) {
			if r.End.SumReceived.Bytes < 3<<20 {
				t.Errorf("received %d", r.End.SumReceived.Bytes)
			}
		}},
		{"blocks", []string{"-k", "20", "-u", "-b", "10M"}, func(t *testing.T, _ stockResult, v Visit) {
			if v.Test.Blocks != 20 || v.Streams[0].Packets < 15 {
				t.Errorf("%d blocks, %+v", v.Test.Blocks, v.Streams[0])
			}
		}},
		{"server output", []string{"-t", "1", "-R", "--get-server-output"}, func(t *testing.T, r stockResult, _ Visit) {
			if !strings.Contains(string(r.ServerOutputJSON), `"snd_cwnd"`) {
				t.Errorf("server output %s %s", r.ServerOutputText, r.ServerOutputJSON)
			}
		}},
		{"TOS, nodelay", []string{"-t", "1", "-S", "32", "-N"}, func(t *testing.T, _ stockResult, v Visit) {
			if v.Test.TOS != 32 || !v.Test.NoDelay {
				t.Errorf("%+v", v.Test)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			addr, seen := serve(t, &Server{})
			r := stockClient(t, addr, c.args...)
			waitFor(t, "the server's report", func() bool { return len(seen.all()) == 1 })
			v := seen.all()[0]
			if v.Err != nil {
				t.Fatal(v.Err)
			}
			c.want(t, r, v)
		})
	}
}
