package probe

import (
	"cmp"
	"net/netip"
	"testing"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/probe/servertest"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// A stream outside ends early once it is surely faster, and not before.
func TestStopWhenFaster(t *testing.T) {
	const inside = 8e6 // bit/s: a megabyte a second
	for name, c := range map[string]struct {
		rate float64 // bytes/s, from the time on
		from time.Duration
		want time.Duration // 0: never within 3 s
	}{
		"as fast":            {1e6, 0, 0},
		"three times":        {3e6, 0, 1050 * time.Millisecond},
		"fast after a while": {3.5e6, 2 * time.Second, 2400 * time.Millisecond},
	} {
		enough, ended := stopWhenFaster(2*inside), time.Duration(0)
		bytes := 0.0
		for at := 150 * time.Millisecond; at <= 3*time.Second; at += 150 * time.Millisecond {
			if at > c.from {
				bytes += c.rate * 0.15
			}
			if enough(iperf3.Progress{Elapsed: at, Bytes: []int64{int64(bytes)}}) {
				ended = at
				break
			}
		}
		if ended != c.want {
			t.Errorf("%s: ended after %v, want %v", name, ended, c.want)
		}
	}
}

// A rung is suspect where it lost, at a rate that TCP carried, what TCP did not.
func TestSuspect(t *testing.T) {
	for name, c := range map[string]struct {
		resent        int64
		sent          float64
		packets, lost int64
		want          bool
	}{
		"UDP alone loses":              {5, 28e6, 850, 30, true},
		"both lose":                    {400, 28e6, 850, 30, false},
		"nothing is lost":              {0, 28e6, 850, 0, false},
		"two packets":                  {0, 28e6, 850, 2, false},
		"more than TCP carries":        {0, 70e6, 2000, 900, false},
		"TCP does not tell, UDP loses": {-1, 28e6, 850, 30, true},
	} {
		run := record.Run{Transfers: []record.Transfer{
			{Direction: record.Up, Protocol: record.TCP, Streams: 1, Duration: 4, Rate: 46e6, SteadyRate: 48e6, Retransmits: c.resent},
			{Direction: record.Up, Protocol: record.UDP, UDP: &record.Rung{Sent: c.sent, Packets: c.packets, Lost: c.lost}},
		}}
		if got := (&checker{run: &run}).suspect(record.Up); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What loses and fills no queue is asked about outside the tunnel first.
func TestLosing(t *testing.T) {
	for what, c := range map[string]struct {
		resent int64
		filled bool
		want   bool
	}{
		"nothing lost":        {0, false, false},
		"not known":           {-1, false, false},
		"one in two hundred":  {43, false, true},
		"little":              {4, false, false},
		"its own queue's end": {43, true, false},
	} {
		run := &record.Run{Transfers: []record.Transfer{{Direction: record.Down, Protocol: record.TCP, Streams: 1, Rate: 20e6, Duration: 5, Retransmits: c.resent}}}
		k := &checker{run: run, filled: map[record.Direction]bool{record.Down: c.filled}}
		if got := k.losing(record.Down); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
		if k.losing(record.Up) {
			t.Errorf("%s: up, where no stream ran", what)
		}
	}
}

// A second question may find no time left, so that the first is put where packets
// are lost.
func TestOutsideFirst(t *testing.T) {
	for what, c := range map[string]struct {
		down, up       float64
		downLost, lost int64
		want           record.Direction
	}{
		"nothing lost":                    {9e6, 4e6, 0, 0, record.Down},
		"down alone loses":                {9e6, 4e6, 40, 0, record.Down},
		"up alone loses":                  {4e6, 9e6, 0, 40, record.Up},
		"both lose, up is slower":         {27e6, 10e6, 40, 40, record.Up},
		"both lose, down is slower":       {10e6, 27e6, 40, 40, record.Down},
		"up is slower, and loses nothing": {27e6, 10e6, 40, 0, record.Down},
	} {
		stream := func(d record.Direction, rate float64, resent int64) record.Transfer {
			return record.Transfer{Direction: d, Protocol: record.TCP, Streams: 1, Rate: rate, SteadyRate: rate, Duration: 4, Retransmits: resent}
		}
		run := &record.Run{Transfers: []record.Transfer{stream(record.Down, c.down, c.downLost), stream(record.Up, c.up, c.lost)}}
		if got := (&checker{run: run}).outsideFirst(); got != c.want {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// A direction that one stream fills is asked about outside before eight streams run, in the
// time that eight of the other direction leave, if that is not filled.
func TestBeforeEight(t *testing.T) {
	c := &checker{filled: map[record.Direction]bool{record.Up: true}}
	c.Budget, c.plan.rtt = 30*time.Second, 100*time.Millisecond
	if got := c.beforeEight(record.Down)(); got != c.Budget {
		t.Errorf("of a direction that is not filled: %v, want all of the time", got)
	}
	beside := c.beforeEight(record.Up)()
	c.filled[record.Down] = true
	alone := c.beforeEight(record.Up)()
	if alone != c.outsideTime() || beside != alone+c.plan.many()+c.plan.overhead() {
		t.Errorf("beside one that is not filled %v, beside one that is %v", beside, alone)
	}
}

func TestAlike(t *testing.T) {
	udp := record.BesideTest{Protocol: record.UDP, Lost: 10, Packets: 500}
	for want, tcp := range map[bool]record.BesideTest{
		true:  {Protocol: record.TCP, Lost: 6, Packets: 500},
		false: {Protocol: record.TCP, Lost: 1, Packets: 500},
	} {
		if got := alike([]record.BesideTest{{Protocol: record.TCP}, udp, tcp}); got != want {
			t.Errorf("TCP lost %d beside UDP's %d: %v", tcp.Lost, udp.Lost, got)
		}
	}
	if !alike([]record.BesideTest{udp, {Protocol: record.TCP, Lost: -1, Packets: 500}}) {
		t.Error("what TCP lost is not known, and more is sent to compare it with")
	}
	if alike(nil) || alike([]record.BesideTest{udp, udp}) {
		t.Error("no TCP test, and yet alike")
	}
}

// tunnelled is a tunnel whose outer packets go to an address.
type watched = Tunnel

type tunnelled struct {
	watched
	outer  netip.Addr
	via    record.Via // empty: direct
	target record.Position
	rtt    float64 // of the outer address, s
}

func (t tunnelled) Tunnel() record.Tunnel {
	found := record.Tunnel{Kind: "wireguard", Target: t.target, Ways: []record.Way{{Via: cmp.Or(t.via, record.Direct)}}}
	if t.outer.IsValid() {
		found.Underlay = &record.Underlay{Address: t.outer.String(), RTT: t.rtt}
	}
	return found
}
func (t tunnelled) Outside() []netip.Addr { return []netip.Addr{t.outer} }

// The outer address is asked only where it may be the target's: not a peer behind which
// the target is, nor a host that relays.
func TestOutsideIsTheTarget(t *testing.T) {
	outer := netip.MustParseAddr("192.0.2.1")
	for what, c := range map[string]struct {
		tunnel tunnelled
		want   bool
	}{
		"an older record's":      {tunnelled{outer: outer}, true},
		"the peer":               {tunnelled{outer: outer, target: record.AtPeer}, true},
		"either":                 {tunnelled{outer: outer, target: record.PerhapsBehind}, true},
		"behind a hub":           {tunnelled{outer: outer, target: record.Behind}, false},
		"by a peer that relays":  {tunnelled{outer: outer, target: record.AtPeer, via: record.PeerRelay}, false},
		"nobody knows which way": {tunnelled{outer: outer, via: record.Idle}, false},
	} {
		k := &checker{Options: Options{Tunnel: c.tunnel}}
		if got := k.outsideAddress().IsValid(); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// A peer that is clearly nearer than the target is another host.
func TestPeerIsNearer(t *testing.T) {
	for what, c := range map[string]struct {
		target record.Position
		rtt    float64
		want   bool
	}{
		"a hub half way":            {record.PerhapsBehind, 0.02, true},
		"as far":                    {record.PerhapsBehind, 0.0395, false},
		"the peer, by a faster way": {record.AtPeer, 0.02, false},
	} {
		k := &checker{
			Options: Options{Tunnel: tunnelled{outer: netip.MustParseAddr("192.0.2.1"), target: c.target, rtt: c.rtt}},
			plan:    plan{rtt: 40 * time.Millisecond},
		}
		if got := k.peerIsNearer(t.Context()); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// Of two directions that lose, one is asked about outside the tunnel before the
// ladders; the other one where UDP proved to be held back. The eight streams
// keep their time.
func TestUrgent(t *testing.T) {
	stream := func(d record.Direction, rate float64, resent int64) record.Transfer {
		return record.Transfer{Direction: d, Protocol: record.TCP, Streams: 1, Rate: rate, SteadyRate: rate, Duration: 5, Retransmits: resent}
	}
	alike, held := make([]record.BesideTest, 3), make([]record.BesideTest, 4)
	for what, c := range map[string]struct {
		downResent int64
		tests      []record.BesideTest // outside, up; nil: not asked yet
		spent      time.Duration
		up, down   bool
	}{
		"both lose":                {40, nil, 0, true, false},
		"up alone loses":           {0, nil, 0, true, false},
		"the path loses, up":       {40, alike, 0, false, false},
		"UDP is held back, up":     {40, held, 0, false, true},
		"no time is left":          {40, nil, 29 * time.Second, false, false},
		"up is held back, down ok": {0, held, 0, false, true},
		"no time for that":         {0, held, 29 * time.Second, false, false},
	} {
		run := &record.Run{Transfers: []record.Transfer{stream(record.Down, 9e6, c.downResent), stream(record.Up, 4e6, 30)}}
		k := &checker{
			Options: Options{Budget: 30 * time.Second, Tunnel: tunnelled{outer: netip.MustParseAddr("192.0.2.1")}},
			run:     run, start: time.Now().Add(-c.spent), plan: plan{rtt: 50 * time.Millisecond},
			filled: map[record.Direction]bool{}, asked: map[record.Direction]bool{},
		}
		if k.owed() != 0 {
			t.Errorf("%s: time is owed, and nothing was asked", what)
		}
		if c.tests != nil {
			k.asked[record.Up] = true
			run.Besides = []record.Beside{{Direction: record.Up, Outside: true, Tests: c.tests}}
			if least := 2 * k.plan.many(); k.owed() < least {
				t.Errorf("%s: %v are owed, less than %v", what, k.owed(), least)
			}
		}
		up := k.mayAskOutside(record.Up) && k.urgent(record.Up)
		down := k.mayAskOutside(record.Down) && k.urgent(record.Down)
		if up != c.up || down != c.down {
			t.Errorf("%s: up %v, want %v; down %v, want %v", what, up, c.up, down, c.down)
		}
	}
}

// Where large packets vanish one way, the other way is asked about.
func TestOutsideBesideAHole(t *testing.T) {
	stream := func(d record.Direction) record.Transfer {
		return record.Transfer{Direction: d, Protocol: record.TCP, Streams: 1, Rate: 1e7, SteadyRate: 1e7, Duration: 3}
	}
	k := &checker{
		Options: Options{Tunnel: tunnelled{outer: netip.MustParseAddr("192.0.2.1")}},
		run:     &record.Run{Transfers: []record.Transfer{stream(record.Down), stream(record.Up)}},
		mss:     map[record.Direction]int{record.Up: 1352},
	}
	if k.mayAskOutside(record.Up) || !k.mayAskOutside(record.Down) {
		t.Errorf("up %v, where large packets vanish; down %v", k.mayAskOutside(record.Up), k.mayAskOutside(record.Down))
	}
}

// UDP that is blocked beside a tunnel says nothing of UDP inside it: the check goes on, with
// what TCP carried outside.
func TestUDPBlockedOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	outside := forward(t, servertest.Serve(t), 1000)
	run := &record.Run{Transfers: []record.Transfer{{Direction: record.Up, Protocol: record.TCP, Streams: 1, Rate: 1e6, SteadyRate: 1e6, Duration: 3}}}
	k := &checker{
		Options: Options{
			Address: netip.MustParseAddr("192.0.2.1"), Port: outside.Port(), Budget: time.Minute,
			Tunnel: tunnelled{outer: outside.Addr()}, Progress: func(float64, string) {},
		},
		run: run, start: time.Now(), plan: plan{rtt: time.Millisecond}, asked: map[record.Direction]bool{}, mss: map[record.Direction]int{},
	}
	err := k.each(t.Context(), []step{{name: "outside the tunnel", need: func() time.Duration { return 0 }, run: k.outsideTCP(record.Up, func() time.Duration { return 0 })}})
	if err != nil || run.UDPBlocked {
		t.Errorf("UDP is said to be blocked inside: %v, %v", run.UDPBlocked, err)
	}
	if len(run.Besides) != 1 || len(run.Skipped) != 1 || run.Skipped[0].Step != "outside the tunnel, up" {
		t.Errorf("asked outside %d times; left out %v", len(run.Besides), run.Skipped)
	}
}

// A young stream on a path that loses is faster than later; one outside the
// tunnel is young.
func TestInside(t *testing.T) {
	one := &record.Transfer{Duration: 4, SteadyRate: 5e6}
	for i := range flow.Slices {
		length := one.Duration / flow.Slices
		at, rate := float64(i+1)*length, 5e6
		if at <= 2 {
			rate = 20e6
		}
		one.Intervals = append(one.Intervals, record.Interval{At: at, Bytes: int64(rate * length / 8), Rate: rate})
	}
	if got := inside(one, 2*time.Second); got < 15e6 {
		t.Errorf("a stream of 2 s would carry %.1f Mbit/s", got/1e6)
	}
	if got := inside(one, time.Minute); got < 4.9e6 || got > 5.1e6 {
		t.Errorf("one of a minute would carry %.1f Mbit/s", got/1e6)
	}
}

// A ladder that lacks the time for all rungs reaches as high with fewer.
func TestRatesWithTimeOwed(t *testing.T) {
	run := &record.Run{Transfers: []record.Transfer{{Direction: record.Down, Protocol: record.TCP, Streams: 1, SteadyRate: 4e6}}}
	k := &checker{Options: Options{Budget: 30 * time.Second}, run: run, start: time.Now(), plan: plan{rtt: 50 * time.Millisecond}, asked: map[record.Direction]bool{}}
	all := k.rates(record.Down, k.plan.overhead(), 0)
	k.asked[record.Down] = true
	if got := k.rates(record.Down, k.plan.overhead(), k.owed()); len(got) != len(all) {
		t.Errorf("with all the time %v, without a debt %v", got, all)
	}
	k.start = time.Now().Add(-21 * time.Second)
	short := k.rates(record.Down, k.plan.overhead(), k.owed())
	if len(short) >= len(all) || short[len(short)-1] < 300e6 {
		t.Errorf("with few seconds %v, with all %v", short, all)
	}
}
