package path

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/unit"
)

func mustParse(t testing.TB, spec string) Path {
	t.Helper()
	p, err := Parse(spec)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return p
}

// What is written in any order and unit prints in one.
func TestScheduleText(t *testing.T) {
	for text, want := range map[string]string{
		"none":                                "",
		"every 15s for 200ms rtt=+50ms":       "every 15s for 200ms rtt=+50ms",
		"  for 0.2s   rtt=+0.05s every 15s ":  "every 15s for 200ms rtt=+50ms",
		"at 15s every 15s for 200ms loss=1%":  "every 15s for 200ms loss=1%",
		"at 0s every 15s for 200ms loss=1%":   "at 0s every 15s for 200ms loss=1%",
		"at 30s rate=1000mbit":                "at 30s rate=1gbit",
		"at 5s for 2s loss=100%;at 9s rtt=0s": "at 5s for 2s loss=100%; at 9s rtt=0s",
		"at 5s loss=0":                        "at 5s loss=0%",
		"at 5s jitter=0ms":                    "at 5s jitter=0s",
		"at 5s loss=ge:0%:25%":                "at 5s loss=ge:0%:25%",
		"at 5s up.rtt=+10ms rtt=80ms":         "at 5s up.rtt=+10ms down.rtt=80ms",
		"at 5s up.loss=1%":                    "at 5s up.loss=1%",
		"at 5s up.rtt=10ms down.rtt=10ms":     "at 5s rtt=10ms",
	} {
		s, err := ParseSchedule(text)
		if err != nil || s.String() != want {
			t.Errorf("%q prints as %q, %v, want %q", text, s, err, want)
		}
		if back, err := NewSchedule(s.Episodes()...); err != nil || back != s {
			t.Errorf("%q: made of its episodes again it is %q, %v", text, back, err)
		}
	}
}

// An error points at the offending part of the schedule.
func TestScheduleErrors(t *testing.T) {
	for _, c := range []struct{ schedule, part, problem, allowed string }{
		{"", "", "has no episode", "every 15s"},
		{"every 15s for 200ms", "every 15s for 200ms", "changes nothing", "rtt=+50ms"},
		{"every 15s rtt=+50ms", "every 15s rtt=+50ms", "does not say for how long", "for 200ms"},
		{"for 1s rtt=+50ms", "for 1s rtt=+50ms", "needs at (when) or every (how often)", "at 30s"},
		{"at 1s loss=1%; every 1s for 1s loss=2%", "every 1s for 1s loss=2%", "leaves less than 1ms", "every 15s"},
		{"every 1s for 2s loss=2%", "every 1s for 2s loss=2%", "leaves less than", ""},
		{"every 1s for 1us loss=2%", "every 1s for 1us loss=2%", "shorter than 1ms", ""},
		{"at 1s loss=1%;", "", "needs at", ""},
		{"every fast for 1s loss=2%", "fast", "not a duration", "every takes a time such as 15s"},
		{"every 0s for 1s loss=2%", "0s", "not between", ""},
		{"at 25h loss=2%", "25h", "not between", "at takes"},
		{"at -1s loss=2%", "-1s", "not between", ""},
		{"loss=2% at", "at", "has no time", ""},
		{"often loss=2%", "often", "not KEY=VALUE", ""},
		{"at 1s los=2%", "los", `unknown key "los"`, "keys are at, every, for, rtt, jitter, loss, rate, udp.loss, udp.rate, cross, up.rtt"},
		{"at 1s mtu=1400", "mtu", `unknown key "mtu"`, "down.rate"},
		{"at 1s loss=1% loss=2%", "loss", "given twice", "once"},
		{"at 1s at 2s loss=2%", "at", "given twice", "once"},
		{"at 1s; at 1s loss=200%", "at 1s", "changes nothing", ""},
		{"at 1s loss=1%; at 1s loss=200%", "200%", "more than 100%", "loss takes a share"},
		{"at 1s rtt=+50", "+50", "not a duration", "or one to add such as +50ms"},
		{"at 1s rtt=+0s", "+0s", "adds nothing", ""},
		{"at 1s jitter=+4ms", "+4ms", "only the rtt can be added to", "jitter takes"},
		{"at 1s up.rate=0mbit", "0mbit", "not a rate", "rate takes"},
		{strings.Repeat("at 1s loss=1%;", 16) + "at 1s loss=1%", strings.Repeat("at 1s loss=1%;", 16) + "at 1s loss=1%", "at most 16", ""},
	} {
		refuses(t, "rate=10mbit,schedule="+c.schedule+",mtu=1400", c.part, c.problem, c.allowed)
	}
	for spec, want := range map[string]string{
		"rtt=50ms,schedule=at 1s rate=1mbit":               "changes a bottleneck's rate, but there is none",
		"down.rate=1mbit,schedule=at 1s up.rate=1mbit":     "changes a bottleneck's rate, but there is none",
		"rtt=50ms,order=free,schedule=at 1s loss=1%":       "dist and order shape jitter",
		"rtt=50ms,up.order=free,schedule=at 1s down.rtt=0": "dist and order shape jitter",
		"up.schedule=at 1s loss=1%":                        "cannot be set for one direction",
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", spec, err, want)
		}
	}
}

// A delay that varies has an order and a shape, by a schedule too.
func TestScheduleShapes(t *testing.T) {
	p := mustParse(t, "rtt=50ms,schedule=at 1s up.jitter=4ms")
	if p.Up.Order != Keep || p.Up.Dist != Normal || p.Down.Order != "" {
		t.Errorf("up %+v, down %+v", p.Up, p.Down)
	}
	p = mustParse(t, "rtt=50ms,order=free,schedule=at 1s rtt=4ms")
	if p.Up.Order != Free || p.String() != "rtt=50ms,order=free,schedule=at 1s rtt=4ms" {
		t.Errorf("%v: %+v", p, p.Up)
	}
}

func TestSteady(t *testing.T) {
	for spec, want := range map[string]string{
		"rtt=50ms,order=free,schedule=at 1s rtt=4ms":                         "rtt=50ms",
		"rtt=50ms,jitter=1ms,order=free,dist=uniform,schedule=at 1s rtt=4ms": "rtt=50ms,jitter=1ms,order=free,dist=uniform",
		"rtt=50ms,loss=1%": "rtt=50ms,loss=1%",
	} {
		if got := mustParse(t, spec).Steady(); got != mustParse(t, want) {
			t.Errorf("%s: steadily %v, want %s", spec, got, want)
		}
	}
}

func TestPathAt(t *testing.T) {
	const spec = "rtt=27ms,jitter=7ms,loss=0.1%,rate=100mbit," +
		"schedule=every 15s for 200ms rtt=+50ms jitter=40ms loss=1%; at 20s for 11s rate=20mbit up.rtt=40ms; at 40s down.rtt=+1ms; at 0s every 1m0s for 1s up.loss=100%"
	p := mustParse(t, spec)
	const (
		base  = "rtt=27ms,jitter=7ms,loss=0.1%,rate=100mbit"
		again = "up.rtt=27ms,down.rtt=28ms,jitter=7ms,loss=0.1%,rate=100mbit"
	)
	for _, c := range []struct {
		at   time.Duration
		want string
	}{
		{0, "rtt=27ms,jitter=7ms,up.loss=100%,down.loss=0.1%,rate=100mbit"},
		{time.Second - 1, "rtt=27ms,jitter=7ms,up.loss=100%,down.loss=0.1%,rate=100mbit"},
		{time.Second, base},
		{15*time.Second - 1, base},
		{15 * time.Second, "rtt=77ms,jitter=40ms,loss=1%,rate=100mbit"},
		{15*time.Second + 200*time.Millisecond - 1, "rtt=77ms,jitter=40ms,loss=1%,rate=100mbit"},
		{15*time.Second + 200*time.Millisecond, base},
		{20 * time.Second, "up.rtt=40ms,down.rtt=27ms,jitter=7ms,loss=0.1%,rate=20mbit"},
		{30 * time.Second, "up.rtt=40ms,down.rtt=77ms,jitter=40ms,loss=1%,rate=20mbit"}, // the later one's delay
		{31 * time.Second, base},
		{45 * time.Second, "up.rtt=77ms,down.rtt=78ms,jitter=40ms,loss=1%,rate=100mbit"}, // both additions
		{50 * time.Second, again},
		{60 * time.Second, "up.rtt=77ms,down.rtt=78ms,jitter=40ms,up.loss=100%,down.loss=1%,rate=100mbit"},
		{100 * time.Second, again},
	} {
		if got := p.At(c.at); got != mustParse(t, c.want) {
			t.Errorf("at %v: %v, want %s", c.at, got, c.want)
		}
	}
}

func TestNext(t *testing.T) {
	p := mustParse(t, "schedule=at 1s every 5s for 2s loss=1%; at 3s for 1s loss=2%; at 12s loss=3%")
	var got []string
	for at, ok := time.Duration(-1), true; ok && len(got) < 9; {
		if at, ok = p.Schedule.Next(at); ok {
			got = append(got, at.String())
		}
	}
	if want := "1s 3s 4s 6s 8s 11s 12s 13s 16s"; strings.Join(got, " ") != want {
		t.Errorf("changes at %v, want %s", got, want)
	}
	once := mustParse(t, "schedule=at 1s for 1s loss=1%; at 5s loss=2%").Schedule
	if at, ok := once.Next(2 * time.Second); !ok || at != 5*time.Second {
		t.Errorf("after 2s: %v, %v", at, ok)
	}
	if at, ok := once.Next(5 * time.Second); ok {
		t.Errorf("after the last change there is one at %v", at)
	}
	if at, ok := (Schedule{}).Next(0); ok {
		t.Errorf("no schedule changes at %v", at)
	}
}

// Between two moments that Next names, conditions stay.
func TestNextMissesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		p := Path{Schedule: randomSchedule(random, false, false)}
		for at, ok := time.Duration(0), true; ok && at < 10*time.Second; {
			next, more := p.Schedule.Next(at)
			if !more {
				next = 20 * time.Second
			}
			for range 5 {
				if between := at + time.Duration(random.Int64N(int64(next-at))); p.At(between) != p.At(at) {
					t.Fatalf("%v: at %v it is %v and at %v %v, and the next change is at %v", p.Schedule, at, p.At(at), between, p.At(between), next)
				}
			}
			at, ok = next, more
		}
	}
}

// randomSchedule has a rate only where the path has one.
func randomSchedule(random *rand.Rand, rate, udpRate bool) Schedule {
	some := func() bool { return random.IntN(2) == 0 }
	change := func() Change {
		var c Change
		if some() {
			delay := time.Duration(random.Int64N(1e9))
			c.Delay = &delay
		} else if some() {
			c.Longer = 1 + time.Duration(random.Int64N(1e9))
		}
		if some() {
			jitter := 2 * time.Duration(random.Int64N(1e8))
			c.Jitter = &jitter
		}
		if some() {
			c.Loss = &Loss{P: pick[unit.Ratio](random, 0, 0.01, 1)}
		}
		if rate && some() {
			c.Rate = unit.BitRate(8 + random.Int64N(1e9))
		}
		if udpRate && some() {
			c.UDPRate = unit.BitRate(8 + random.Int64N(1e9))
		}
		if some() {
			c.UDPLoss = &Loss{P: pick[unit.Ratio](random, 0, 0.01, 1)}
		}
		if rate && some() {
			cross := randomCross(random)
			c.Cross = &cross
		}
		return c
	}
	var episodes []Episode
	for range random.IntN(4) {
		e := Episode{At: time.Duration(random.Int64N(3e9)), For: time.Millisecond + time.Duration(random.Int64N(2e9)), Up: change(), Down: change()}
		if some() {
			e.Every = e.For + time.Millisecond + time.Duration(random.Int64N(3e9))
		} else if some() {
			e.For = 0
		}
		if e.check() == nil {
			episodes = append(episodes, e)
		}
	}
	s, err := NewSchedule(episodes...)
	if err != nil {
		panic(err)
	}
	return s
}

func TestNewScheduleRefuses(t *testing.T) {
	change := Change{Loss: &Loss{P: 1}}
	for _, e := range []Episode{
		{At: -1, Up: change},
		{At: 25 * time.Hour, Up: change},
		{Every: time.Second, Up: change},
		{Every: time.Second, For: time.Second, Up: change},
		{At: time.Second},
	} {
		if s, err := NewSchedule(e); err == nil {
			t.Errorf("%+v was taken as %q", e, s)
		}
	}
	if _, err := NewSchedule(slices.Repeat([]Episode{{Up: change}}, maxEpisodes+1)...); err == nil {
		t.Error("too many episodes were taken")
	}
}

func ExamplePath_At() {
	p, _ := Parse("rtt=27ms,schedule=every 15s for 200ms rtt=+50ms")
	for at, ok := time.Duration(0), true; ok && at < 31*time.Second; at, ok = p.Schedule.Next(at) {
		fmt.Println(at, p.At(at))
	}
	// Output:
	// 0s rtt=27ms
	// 15s rtt=77ms
	// 15.2s rtt=27ms
	// 30s rtt=77ms
	// 30.2s rtt=27ms
}
