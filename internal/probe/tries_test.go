package probe

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"unchoke/internal/probe/servertest"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// A script is what a step does each time that it is taken: nothing wrong, or an error.
type script struct {
	step
	fails []error
}

// played are steps that do as their scripts say, and what ran in which order.
func played(scripts ...script) (steps []step, ran *[]string) {
	ran = new([]string)
	for _, p := range scripts {
		s, try := p.step, 0
		if s.need == nil {
			s.need = func() time.Duration { return 0 }
		}
		do := s.run
		s.run = func(ctx context.Context) error {
			*ran = append(*ran, s.name)
			if do != nil {
				if err := do(ctx); err != nil {
					return err
				}
			}
			if try++; try > len(p.fails) || p.fails[try-1] == nil {
				return nil
			}
			return fmt.Errorf("wait: %w", p.fails[try-1])
		}
		steps = append(steps, s)
	}
	return steps, ran
}

func newChecker(t *testing.T, budget time.Duration) *checker {
	t.Helper()
	return &checker{
		Options: Options{Budget: budget, Progress: func(share float64, _ string) {
			if share > 1 {
				t.Errorf("%g of it is done", share)
			}
		}},
		run: &record.Run{}, start: time.Now(),
		filled: map[record.Direction]bool{}, mss: map[record.Direction]int{}, asked: map[record.Direction]bool{},
	}
}

// A UDP step that the server gave up comes again at once; if that fails too, after all
// others, and what builds on it after that.
func TestGivenUp(t *testing.T) {
	gone, blocked := iperf3.ErrVanished, iperf3.ErrUDPBlocked
	udp := func(name string, d record.Direction, fails ...error) script {
		return script{step{name: name, more: d, udp: true}, fails}
	}
	tcp := script{step: step{name: "tcp", more: record.Up}}
	for name, c := range map[string]struct {
		scripts  []script
		passes   bool // a rung has arrived
		ran      []string
		skipped  []string
		blocked  bool
		warnings int
	}{
		"once": {
			scripts: []script{udp("ladder", record.Up, gone), udp("beside", record.Up), tcp},
			ran:     []string{"ladder", "ladder", "beside", "tcp"},
		},
		"twice": {
			scripts: []script{udp("ladder", record.Up, gone, gone), udp("beside", record.Up), udp("down", record.Down), tcp, udp("above", "")},
			ran:     []string{"ladder", "ladder", "down", "tcp", "ladder", "beside", "above"},
		},
		"three times": {
			scripts: []script{udp("ladder", record.Up, gone, gone, gone), udp("beside", record.Up, gone), tcp},
			ran:     []string{"ladder", "ladder", "tcp", "ladder", "beside", "beside"},
			skipped: []string{"ladder"},
		},
		"what builds on another": {
			scripts: []script{udp("ladder", record.Up, gone, gone), udp("beside", record.Up, gone, gone)},
			ran:     []string{"ladder", "ladder", "ladder", "beside", "beside"},
			skipped: []string{"beside"},
		},
		"blocked": {
			scripts: []script{udp("ladder", record.Up, blocked), udp("down", record.Down), tcp},
			ran:     []string{"ladder", "tcp"},
			skipped: []string{"UDP ladder"}, blocked: true,
		},
		// An outage of some seconds, late in a check.
		"no longer answered": {
			scripts: []script{udp("above the ceiling", record.Up, blocked), udp("below", record.Up)}, passes: true,
			ran: []string{"above the ceiling", "above the ceiling", "below"},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newChecker(t, time.Minute)
			if c.passes {
				k.run.Transfers = []record.Transfer{{Direction: record.Down, UDP: &record.Rung{Packets: 100, Lost: 40}}}
			}
			steps, ran := played(c.scripts...)
			if err := k.each(t.Context(), steps); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var skipped []string
			for _, s := range k.run.Skipped {
				skipped = append(skipped, s.Step)
			}
			if !slices.Equal(*ran, c.ran) || !slices.Equal(skipped, c.skipped) || k.run.UDPBlocked != c.blocked {
				t.Errorf("%s: ran %q, left out %q, blocked %v; want %q, %q, %v", name, *ran, skipped, k.run.UDPBlocked, c.ran, c.skipped, c.blocked)
			}
		})
	}
}

// Only what measured nothing is no path time: a step's complete parts are, and a try that
// failed leaves the next one all its time.
func TestTimeInVain(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		udp  bool
		part time.Duration // complete before the failure
		want time.Duration // of path time
	}{
		"TCP":             {want: 8 * s},
		"UDP":             {udp: true, want: 8 * s},
		"UDP, in a part":  {udp: true, part: 2 * s, want: 2*s + 8*s},
		"UDP, from a bit": {udp: true, part: s / 10, want: s/10 + 8*s},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newChecker(t, 12*time.Second)
			tries := 0
			run := func(context.Context) error {
				if tries++; tries > 1 {
					time.Sleep(8 * s)
					return nil
				}
				if c.part > 0 {
					time.Sleep(c.part)
					k.stands()
				}
				time.Sleep(5 * s)
				return nil
			}
			steps, _ := played(script{step{name: "step", udp: c.udp, optional: true, need: func() time.Duration { return 9 * s }, run: run}, []error{iperf3.ErrVanished}})
			if err := k.each(t.Context(), steps); err != nil || tries != 2 {
				t.Fatalf("%s: %v after %d tries; left out %v", name, err, tries, k.run.Skipped)
			}
			if spent := k.Budget - k.left(); spent != c.want {
				t.Errorf("%s: %v of path time are spent, want %v", name, spent, c.want)
			}
		})
	}
}

// breaking has a checker's client lose its TCP connections whenever cut is called.
func breaking(k *checker) (cut func()) {
	var mu sync.Mutex
	var open []net.Conn
	k.client.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			open = append(open, conn)
		}
		return conn, err
	}
	k.client.BusyWait = 10 * time.Second // until the server has seen that it is left
	return func() {
		mu.Lock()
		defer mu.Unlock()
		for _, conn := range open {
			conn.Close()
		}
		open = nil
	}
}

// breakingUDP does so in the nth UDP test, while data flows.
func breakingUDP(k *checker, nth int) {
	cut, tests := breaking(k), 0
	k.client.Progress = func(p iperf3.Progress) {
		if p.Elapsed == 0 {
			tests++
		} else if tests == nth {
			cut()
		}
	}
}

func oneStream(d record.Direction, rate, duration float64) record.Transfer {
	return record.Transfer{Name: string(d) + "-1", Direction: d, Protocol: record.TCP, Streams: 1, Rate: rate, SteadyRate: rate, Duration: duration}
}

// served has a checker measure with a server on loopback, on a path where one stream
// carried a rate for so many seconds each way.
func served(t *testing.T, rate, seconds float64) *checker {
	t.Helper()
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	server := servertest.Serve(t)
	k := newChecker(t, 20*time.Second)
	k.Address, k.Port = server.Addr(), server.Port()
	k.run.Transfers = []record.Transfer{oneStream(record.Down, rate, seconds), oneStream(record.Up, rate, seconds)}
	return k
}

// Of the two streams that get the time that is left, the second is broken off. The first
// stands, and the second is taken again.
func TestLongerBrokenOff(t *testing.T) {
	k := served(t, 1e6, 0.2)
	k.Budget = 3 * time.Second
	cut, told := breaking(k), 0
	k.Progress = func(_ float64, doing string) {
		if strings.HasSuffix(doing, "up") {
			if told++; told == 3 { // the step begins, the test begins, it runs
				cut()
			}
		}
	}
	steps := k.longer()
	runs := make([]int, len(steps))
	for i, s := range steps {
		steps[i].run = func(ctx context.Context) error { runs[i]++; return s.run(ctx) }
	}
	if err := k.each(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tr := range k.run.Transfers[2:] {
		if names = append(names, tr.Name); tr.Error != "" {
			t.Errorf("%s: %s", tr.Name, tr.Error)
		}
	}
	if want := []string{"down-1-longer", "up-1-longer"}; !slices.Equal(names, want) || !slices.Equal(runs, []int{1, 2}) {
		t.Errorf("transfers %q, want %q; runs %v", names, want, runs)
	}
}

// A ladder down that was broken off goes on at the rung that was.
func TestLadderBrokenOff(t *testing.T) {
	k := served(t, 1e5, 3)
	k.Quick, k.plan.quick = true, true
	breakingUDP(k, 2)
	need := func() time.Duration { return 0 }
	if err := k.each(t.Context(), []step{{name: "ladder", need: need, run: k.ladderDown, more: record.Down, udp: true}}); err != nil {
		t.Fatal(err)
	}
	if k.stood.transfers != len(k.run.Transfers) {
		t.Errorf("%d of %d transfers stand: the time of the others is in vain", k.stood.transfers, len(k.run.Transfers))
	}
	var offered []float64
	for _, tr := range k.run.Transfers[2:] {
		offered = append(offered, tr.UDP.Offered)
		if tr.Duration < 0.9*k.plan.slot().Seconds() {
			t.Errorf("%s lasted %g s", tr.Name, tr.Duration)
		}
	}
	if want := []float64{200_000, 400_000}; len(offered) < 2 || !slices.Equal(offered[:2], want) || !slices.IsSorted(offered) || len(slices.Compact(offered)) != len(k.run.Transfers)-2 {
		t.Errorf("rungs at %v bit/s, want %v and faster ones, each once", offered, want)
	}
}

// UDP beside TCP that was broken off leaves nothing in the record: what was taken again is
// what counts. Outside a tunnel nothing is taken again, and what was known stands.
func TestTurnsBrokenOff(t *testing.T) {
	k := served(t, 1e6, 3)
	k.run.Transfers = append(k.run.Transfers, record.Transfer{Direction: record.Down, Protocol: record.UDP, UDP: &record.Rung{Sent: 6e5, Packets: 100, Lost: 30}})
	breakingUDP(k, 1)
	need := func() time.Duration { return 0 }
	if err := k.each(t.Context(), []step{{name: "beside", need: need, run: k.besideUDP(record.Down), more: record.Down, udp: true}}); err != nil {
		t.Fatal(err)
	}
	if all := k.run.Besides; len(all) != 1 || len(all[0].Tests) == 0 || all[0].Tests[0].Started < staleTime.Seconds() {
		t.Errorf("%+v, want one, of the second try", all)
	}
	k.run.Besides = nil
	breakingUDP(k, 1)
	b := besides{checker: k, client: k.client, address: k.Address, outside: true}
	known := record.BesideTest{Protocol: record.TCP, Duration: 1}
	if err := b.turns(t.Context(), record.Down, 7e5, []record.BesideTest{known}); err == nil {
		t.Error("it was not broken off")
	}
	if all := k.run.Besides; len(all) != 1 || !slices.Equal(all[0].Tests, []record.BesideTest{known}) {
		t.Errorf("outside: %+v, want what was known", all)
	}
}
