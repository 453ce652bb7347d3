package main

import "unchoke/internal/vantage"

// aCase is a topology with a cause in a known place.
type aCase struct {
	name   string
	impair func(*topology)
	want   vantage.Segment // where the cause lies; empty for none
	// busy says that the router's processor is full where it ends connections
	// itself, and has time left where it forwards. Processors cost nothing in the
	// lab, so such a case runs in namespaces of this host.
	busy bool
}

// homeLine carries half of what the cloud's does, in every case.
var homeLine = vantage.OwnWay("router")

func caseOf(name string) (aCase, bool) {
	for _, c := range cases {
		if c.name == name {
			return c, true
		}
	}
	return aCase{}, false
}

var cases = []aCase{
	{name: "healthy", impair: func(*topology) {}},
	{name: "access-link", want: vantage.Between("pc", "router"), impair: func(t *topology) {
		w := t.wire("lan")
		w.up, w.down = "netem delay 2ms rate 60mbit limit 300", "netem delay 2ms rate 60mbit limit 300"
	}},
	{name: "card-100", want: vantage.AtPlace("pc"), impair: func(t *topology) {
		w := t.wire("lan")
		w.megabitCard = 100
		w.up, w.down = "netem rate 100mbit limit 400", "netem rate 100mbit limit 400"
	}},
	{name: "wan-policer", want: homeLine, impair: func(t *topology) {
		w := t.wire("wan")
		w.up, w.down = "netem delay 4ms limit 20000", "netem delay 4ms limit 20000"
		w.policer = "rate 40mbit burst 64kb conform-exceed drop/pass"
	}},
	{name: "wan-bloat", want: homeLine, impair: func(t *topology) {
		t.wire("wan").up = "netem delay 4ms rate 20mbit limit 1000"
	}},
	{name: "wifi-loss", want: vantage.Between("pc", "router"), impair: func(t *topology) {
		w := t.wire("lan")
		w.up, w.down = "netem delay 2ms loss 0.7% limit 4000", "netem delay 2ms loss 0.7% limit 4000"
	}},
	{name: "small-rmem", want: vantage.AtPlace("pc"), impair: func(t *topology) {
		t.sysctls = map[string][]string{"pc": {"net.ipv4.tcp_rmem=4096 65536 131072"}}
	}},
	{name: "far-send-buffer", want: vantage.AtTarget(), impair: func(t *topology) {
		t.sysctls = map[string][]string{"server": {"net.ipv4.tcp_wmem=4096 16384 200000"}}
	}},
	{name: "lossy-sea", want: vantage.BeyondAll(), impair: func(t *topology) {
		w := t.wire("sea")
		w.up, w.down = "netem delay 11ms loss 0.5% limit 20000", "netem delay 11ms loss 0.5% limit 20000"
	}},
	{name: "router-cpu", busy: true, want: vantage.AtPlace("router"), impair: func(*topology) {}},
	{name: "cloud-shaper", want: vantage.AtPlace("cloud"), impair: func(t *topology) {
		t.wire("rack").ownShaper = "tbf rate 40mbit burst 16kb latency 50ms"
	}},
}
