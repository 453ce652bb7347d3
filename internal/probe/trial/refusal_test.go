package trial

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"unchoke/internal/probe"
	"unchoke/internal/record"
)

// refused wants a Refusal with these words in it and in its hint.
func refused(t *testing.T, err error, what, hint string) {
	t.Helper()
	var r *probe.Refusal
	if !errors.As(err, &r) {
		t.Errorf("no refusal but %v", err)
		return
	}
	if !strings.Contains(err.Error(), what) || !strings.Contains(r.Hint(), hint) {
		t.Errorf("%v\nhint: %s\nwant %q and %q in them", err, r.Hint(), what, hint)
	}
}

func TestRefusals(t *testing.T) {
	near := record.Host{OS: "linux", Available: []string{"reno", "cubic", "vegas"}, Allowed: []string{"reno", "cubic"}, Loadable: []string{"bbr"}}
	refused(t, probe.NearRefusal("vegas", near), "this user may not use congestion control vegas", `tcp_allowed_congestion_control="reno cubic vegas"`)
	refused(t, probe.NearRefusal("bbr", near), "bbr is not loaded on this host", "modprobe tcp_bbr")
	refused(t, probe.NearRefusal("brb", near), "has no congestion control brb", "available here: reno, cubic, vegas; as modules to load: bbr")
	refused(t, probe.NearRefusal("bbr", record.Host{OS: "darwin"}), "has no congestion control bbr", "direction=down")

	at := netip.MustParseAddrPort("192.0.2.7:5201")
	refused(t, fellBack("bbr", "cubic", at, []string{"cubic", "reno"}), "192.0.2.7:5201 has no congestion control bbr: it sent with cubic", "available there: cubic (its default), reno;")
	refused(t, fellBack("bbr", "cubic", at, nil), "it sent with cubic", "no longer answers")
	refused(t, fellBack("bbr", "", at, nil), "does not tell", "direction=up")
	refused(t, deniedThere("bbr", at, []string{"cubic"}), "may not use congestion control bbr", "add bbr to net.ipv4.tcp_allowed_congestion_control there")
	refused(t, windowRefusal(8<<20, 4<<20, true), "granted a window of 4MiB, not 8MiB", "net.core.wmem_max=8388608")
	refused(t, windowRefusal(8<<20, 4<<20, false), "granted", "net.core.rmem_max")
}

// What no host could run is refused before anything is sent.
func TestCheck(t *testing.T) {
	server := netip.MustParseAddrPort("192.0.2.7:5201")
	page := &url.URL{Scheme: "https", Host: "a.example"}
	up := Side{Arm: record.Arm{Direction: record.Up}, Server: server}
	down := Side{Arm: record.Arm{Direction: record.Down}, Server: server}
	web := Side{Arm: record.Arm{Direction: record.Down}, URL: page}
	beside := &Side{Arm: record.Arm{CC: "cubic"}}
	elsewhere := &Side{Arm: record.Arm{CC: "cubic", Target: "far:5202"}, Server: netip.MustParseAddrPort("192.0.2.7:5202")}

	for _, good := range []Options{
		{Arms: []Side{up, down, web}},
		{Arms: []Side{up}, Neighbor: beside},
		{Arms: []Side{up, down, web}, Neighbor: elsewhere},
	} {
		if err := good.Check(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	with := func(a Side, change func(*Side)) []Side { change(&a); return []Side{a} }
	refused(t, Options{Arms: with(web, func(a *Side) { a.CC = "bbr" })}.Check(), "cannot be told its congestion control", "--arm target=URL")
	refused(t, Options{Arms: with(web, func(a *Side) { a.Direction = record.Up })}.Check(), "nothing to send up", "direction=")
	refused(t, Options{Arms: with(web, func(a *Side) { a.Window = 1 })}.Check(), "cannot be chosen", "iperf3 -s")
	refused(t, Options{Arms: []Side{up, down}, Neighbor: beside}.Check(), "one test at a time", "iperf3 -s -p 5202")
	refused(t, Options{Arms: []Side{down}, Neighbor: &Side{Server: server}}.Check(), "one test at a time", "iperf3 -s -p 5202")
	refused(t, Options{Arms: []Side{web}, Neighbor: beside}.Check(), "beside a download", "iperf3 -s")
	refused(t, Options{Arms: []Side{up}, Neighbor: &Side{Arm: record.Arm{Streams: 2}}}.Check(), "one stream", "--neighbor")
}
