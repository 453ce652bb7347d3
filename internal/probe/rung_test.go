package probe

import (
	"cmp"
	"context"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// trace makes packets a millisecond apart, each with its own delay; a negative
// one is lost.
func trace(delays ...time.Duration) []iperf3.Packet {
	var out []iperf3.Packet
	for i, d := range delays {
		sent := time.Duration(i) * time.Millisecond
		if d >= 0 {
			out = append(out, iperf3.Packet{Seq: uint64(i + 1), Sent: sent, Arrived: sent + d})
		}
	}
	return out
}

func TestCountTrace(t *testing.T) {
	const ms = time.Millisecond
	packets, lost, reordered := countTrace(trace(ms, ms, -1, ms, -1, ms))
	if packets != 6 || lost != 2 || reordered != 0 {
		t.Errorf("%d packets, %d lost, %d reordered; want 6, 2, 0", packets, lost, reordered)
	}
	late := trace(ms, ms, ms, ms)
	late[1], late[2] = late[2], late[1]
	if packets, lost, reordered := countTrace(late); packets != 4 || lost != 0 || reordered != 1 {
		t.Errorf("%d packets, %d lost, %d reordered; want 4, 0, 1", packets, lost, reordered)
	}
	if packets, lost, reordered := countTrace(nil); packets+lost+reordered != 0 {
		t.Error("an empty trace counts something")
	}
}

// A rung that waits for room in this host's own queue, and leaves in one go at its end, was
// no faster than it was offered.
func TestHeldBackRungs(t *testing.T) {
	const ms = time.Millisecond
	rung := func(first, last time.Duration) float64 {
		s := iperf3.Stream{Sending: true, Start: 0, End: 350 * ms, Remote: &iperf3.StreamReport{Packets: 101}}
		s.Sent.Packets, s.Sent.First, s.Sent.Last = 101, first, last
		return rungOf("udp-up-1", record.Up, 5e6, s, 1448).UDP.Sent
	}
	even, held, atOnce := rung(0, 240*ms), rung(340*ms, 350*ms), rung(349*ms, 349*ms)
	if even < 4.8e6 || even > 4.9e6 {
		t.Errorf("evenly: %g bit/s, want 4.83e6", even)
	}
	if held < 3.3e6 || held > 3.4e6 || atOnce != held {
		t.Errorf("held back: %g bit/s, and all at once %g; want 3.34e6", held, atOnce)
	}
}

// So it is of a rung that began late in its slot, whichever slot of the test that is, and
// whether or not the test ended in it. A stream's times are those of the whole test.
func TestLateInItsSlot(t *testing.T) {
	const ms = time.Millisecond
	slots := []iperf3.Slot{{Rate: 5e6, Duration: 350 * ms}, {Rate: 10e6, Duration: 350 * ms}, {Rate: 20e6, Duration: 350 * ms}}
	var streams []iperf3.Stream
	for i, end := range []time.Duration{350 * ms, 700 * ms, 800 * ms} { // the test ends at 800 ms
		begin := time.Duration(i)*350*ms + 7*ms
		s := iperf3.Stream{Sending: true, End: 800 * ms}
		s.Sent.First, s.Sent.Last = begin, end
		s.Sent.Packets = 1 + int64((end-begin+7*ms).Seconds()*float64(slots[i].Rate)/8/1250)
		s.Remote = &iperf3.StreamReport{Packets: s.Sent.Packets}
		streams = append(streams, s)
	}
	for i, s := range streams {
		inSlot(&s, time.Duration(i)*350*ms, slots[i].Duration)
		u := rungOf("", record.Up, slots[i].Rate, s, 1250).UDP
		if u.Sent < 0.97*u.Offered || u.Sent > 1.03*u.Offered || u.Delivered != u.Sent {
			t.Errorf("rung %d: offered %g bit/s, sent %g, delivered %g", i, u.Offered, u.Sent, u.Delivered)
		}
	}
}

// A fullQueue takes no datagram of a test but after a while, as where earlier ones fill it.
type fullQueue struct {
	net.Conn
	until time.Time
}

func (q *fullQueue) Write(p []byte) (int, error) {
	if len(p) < 100 { // it opens the stream
		return q.Conn.Write(p)
	}
	if q.until.IsZero() {
		q.until = time.Now().Add(30 * time.Millisecond)
	}
	if time.Now().Before(q.until) {
		time.Sleep(time.Millisecond)
		return 0, os.ErrDeadlineExceeded
	}
	return q.Conn.Write(p)
}

// A test has its streams begin late. None sent less than its packets in its own time, in a
// ladder and beside TCP.
func TestLateStreams(t *testing.T) {
	k := served(t, 1e6, 3)
	k.client.DialUDP = func(ctx context.Context, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "udp", address)
		return &fullQueue{Conn: conn}, err
	}
	const length = 150 * time.Millisecond
	least := func(packets int64) float64 {
		return 0.99 * float64(packets-1) * float64(k.datagram()) * 8 / length.Seconds()
	}
	if err := k.sendRungs(t.Context(), slices.Repeat([]iperf3.Slot{{Rate: 5e6, Duration: length}}, 3), false); err != nil {
		t.Fatal(err)
	}
	if n := len(k.run.Transfers); n == 2 || k.stood.transfers != n {
		t.Errorf("%d of %d transfers stand", k.stood.transfers, n)
	}
	for i, r := range k.run.Transfers[2:] {
		if r.UDP.Sent < least(r.UDP.Packets) {
			t.Errorf("rung %d: %d packets in %v are sent at %g bit/s", i, r.UDP.Packets, length, r.UDP.Sent)
		}
	}
	b := besides{checker: k, client: k.client, address: k.Address}
	u, err := b.udpTest(t.Context(), record.Up, 5e6, length)
	if err != nil || u.Delivered < least(u.Packets-u.Lost) {
		t.Errorf("beside TCP: %d of %d packets in %v are delivered at %g bit/s; %v", u.Packets-u.Lost, u.Packets, length, u.Delivered, err)
	}
}

// Packets that were on their way when the test ended are not lost, nor are
// those that came before it began here.
func TestSettledTraceLeavesOutBothEnds(t *testing.T) {
	whole := make([]time.Duration, 100)
	for i := range whole {
		whole[i] = time.Duration(i%20) * time.Millisecond // up to 19 ms
	}
	var seen []iperf3.Packet
	for _, p := range trace(whole...) {
		if p.Arrived >= 5*time.Millisecond && p.Arrived <= 99*time.Millisecond {
			seen = append(seen, p)
		}
	}
	packets, lost, _ := countTrace(settledTrace(seen))
	if lost != 0 {
		t.Errorf("%d of %d packets count as lost, and none was", lost, packets)
	}
	if packets < 50 {
		t.Errorf("only %d of 100 packets are left", packets)
	}
	if got := settledTrace(nil); got != nil {
		t.Errorf("from nothing: %v", got)
	}
}

// Where the delay varies by more than the rung is long, nothing is known to be
// lost, and what arrived still tells what the path carries.
func TestDelayThatVariesByMoreThanTheRung(t *testing.T) {
	whole := make([]time.Duration, 50)
	for i := range whole {
		whole[i] = time.Duration(i*37%200) * time.Millisecond
	}
	var seen []iperf3.Packet
	for _, p := range trace(whole...) {
		if p.Arrived < 60*time.Millisecond {
			seen = append(seen, p)
		}
	}
	slices.SortFunc(seen, func(a, b iperf3.Packet) int { return cmp.Compare(a.Arrived, b.Arrived) })
	tr := rungOf("udp-down-1", record.Down, 1e6, iperf3.Stream{Trace: seen, Reordered: 3, Packets: 50, Lost: 30, End: 60 * time.Millisecond}, 1000)
	if u := tr.UDP; u.Packets != int64(len(seen)) || u.Lost != 0 || u.Delivered <= 0 {
		t.Errorf("%d packets, %d lost, %g bit/s delivered; want %d, 0, more than 0", u.Packets, u.Lost, u.Delivered, len(seen))
	}
}

func TestLossRuns(t *testing.T) {
	const ms = time.Millisecond
	seen := trace(ms, -1, ms, -1, -1, -1, ms, -1, ms)
	u := rungOf("down", record.Down, 0, iperf3.Stream{Trace: seen, Packets: 9, Lost: 5, End: 9 * ms}, 1000).UDP
	if runs := u.LossRuns; runs[0] != 2 || runs[2] != 1 || runs[1] != 0 || u.Lost != 5 || u.Bunched != 0 {
		t.Errorf("runs %v of %d, want two of one packet and one of three", runs, u.Lost)
	}
}

// What arrived before the first loss is counted from the first packet that was sent.
func TestBeforeLoss(t *testing.T) {
	const ms = time.Millisecond
	early := trace(ms, ms, ms, -1, ms)
	for i := range early {
		early[i].Arrived -= 2 * ms // the first came before the test had begun here
	}
	gone := trace(ms, -1, ms, ms)
	gone[0].Arrived = -ms
	for name, c := range map[string]struct {
		trace     []iperf3.Packet
		reordered int64
		want      int64
	}{
		"one is lost":                 {trace(ms, ms, -1, ms, -1, ms), 0, 2},
		"none is lost":                {trace(ms, ms, ms), 0, 0},
		"the first is lost":           {trace(-1, ms, -1, ms), 0, 0},
		"the first came early":        {early, 0, 3},
		"what came early had no room": {gone, 0, 0},
		"packets overtake":            {trace(ms, ms, -1, ms), 1, 0},
	} {
		s := iperf3.Stream{Trace: c.trace, Packets: int64(len(c.trace)) + 2, Lost: 2, Reordered: c.reordered, End: 9 * ms}
		if got := rungOf("down", record.Down, 0, s, 1000).UDP.BeforeLoss; got != c.want {
			t.Errorf("%s: %d packets, want %d", name, got, c.want)
		}
	}
}

// A sender that was held up sends what is due at once, and a short queue drops most of
// it: no loss of what comes evenly. What was lost in its own time is.
func TestLostInABunch(t *testing.T) {
	const ms = time.Millisecond
	for _, heldUp := range []bool{true, false} {
		var seen []iperf3.Packet
		for i := range 200 {
			sent := time.Duration(i) * ms
			if heldUp && i > 50 && i <= 90 {
				sent = 90*ms + time.Duration(i)*time.Microsecond
			}
			if i <= 60 || i > 90 {
				seen = append(seen, iperf3.Packet{Seq: uint64(i + 1), Sent: sent, Arrived: sent + ms})
			}
		}
		u := rungOf("down", record.Down, 0, iperf3.Stream{Trace: seen, Packets: 200, Lost: 30, End: 200 * ms}, 1000).UDP
		want := record.Rung{Packets: 200, Lost: 30}
		if heldUp {
			want = record.Rung{Packets: 170, Bunched: 30}
		}
		if u.Packets != want.Packets || u.Lost != want.Lost || u.Bunched != want.Bunched || (u.LossRuns[longestRun-1] == 1) == heldUp {
			t.Errorf("held up %v: %d packets, %d lost, %d in a bunch, runs %v", heldUp, u.Packets, u.Lost, u.Bunched, u.LossRuns)
		}
	}
}

// A delay that varies thins both ends of what arrives. A rung tells its rate by
// what arrived between them.
func TestRateOfPacketsThatOvertake(t *testing.T) {
	const ms = time.Millisecond
	whole := make([]time.Duration, 600)
	for i := range whole {
		whole[i] = time.Duration(i*61%130) * ms
	}
	var seen []iperf3.Packet
	for _, p := range trace(whole...) {
		if p.Arrived >= 110*ms && p.Arrived < 460*ms { // a rung of 350 ms
			seen = append(seen, p)
		}
	}
	slices.SortFunc(seen, func(a, b iperf3.Packet) int { return cmp.Compare(a.Arrived, b.Arrived) })
	rung := rungOf("down", record.Down, 0, iperf3.Stream{Trace: seen, Packets: int64(len(seen)), Reordered: 1, Start: 110 * ms, End: 460 * ms}, 1000)
	if u := rung.UDP; u.Delivered < 0.93*8e6 || u.Delivered > 1.07*8e6 {
		t.Errorf("delivered %.3g bit/s, and 8e6 were", u.Delivered)
	}
}

// What came before the test began here, and what its socket then had no room
// for, is no loss of the path.
func TestWhatCameBeforeTheTestBegan(t *testing.T) {
	const ms = time.Millisecond
	delays := make([]time.Duration, 300)
	for i := range delays {
		delays[i] = ms
		if i >= 50 && i < 200 || i == 250 {
			delays[i] = -1
		}
	}
	stream := iperf3.Stream{End: 100 * ms, Trace: trace(delays...), Packets: 300, Lost: 151}
	for i := range stream.Trace {
		stream.Trace[i].Arrived -= 200 * ms
	}
	got := rungOf("", record.Down, 10e6, stream, 1250).UDP
	if got.Lost != 1 || got.Packets < 95 || got.Packets > 100 || got.LossRuns[0] != 1 || got.LossRuns[longestRun-1] != 0 {
		t.Errorf("%d of %d packets are lost, in runs %v", got.Lost, got.Packets, got.LossRuns)
	}
}

// Nor is what never came to the socket, since the far end sent it before.
func TestWhatWasSentBeforeTheTestBegan(t *testing.T) {
	const ms = time.Millisecond
	delays := make([]time.Duration, 300)
	for i := range delays {
		delays[i] = ms
		if i < 105 || i == 250 {
			delays[i] = -1
		}
	}
	got := rungOf("", record.Down, 10e6, iperf3.Stream{End: 350 * ms, Trace: trace(delays...), Packets: 300, Lost: 106}, 1250).UDP
	if got.Lost != 1 || got.Packets != 195 {
		t.Errorf("%d of %d packets are lost", got.Lost, got.Packets)
	}
}

// Of a ladder whose results never came, as on a line too thin for the server's word,
// nothing is known to have arrived: it is no ladder that lost nothing.
func TestUntoldRungs(t *testing.T) {
	sent := func(packets int64, remote *iperf3.StreamReport) iperf3.Stream {
		s := iperf3.Stream{Sending: true, Remote: remote}
		s.Sent.Packets = packets
		return s
	}
	report := &iperf3.StreamReport{}
	for want, streams := range [][]iperf3.Stream{
		{sent(13, nil), sent(23, nil)},
		{sent(13, report), sent(0, report), sent(5, report)},
		{sent(13, report), sent(23, report)},
	} {
		if got := told(streams); len(got) != want {
			t.Errorf("of %d streams %d count, want %d", len(streams), len(got), want)
		}
	}
}
