package filter

import (
	"errors"
	"net/netip"
	"os"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
	"unchoke/internal/words"
)

// names knows one service and one host.
var names = Names{
	Port: func(s string) (uint16, error) {
		if s == "https" {
			return 443, nil
		}
		return 0, errors.New("unknown")
	},
	Host: func(s string) ([]netip.Addr, error) {
		if s == "far" {
			return []netip.Addr{netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("2001:db8::2")}, nil
		}
		return nil, errors.New("unknown")
	},
}

func four() *live.Flow {
	return &live.Flow{
		ID: "2a", Local: netip.MustParseAddrPort("192.0.2.1:40000"), Remote: netip.MustParseAddrPort("10.0.0.2:443"), State: "established",
		Device: "eth0", Process: "Web Content", PID: 812, Unit: "jellyfin.service", Cgroup: "system.slice/jellyfin.service", UID: 1000,
		CC: "cubic", SentRate: 2e6, ReceivedRate: 1e3, RTT: 0.06, MinRTT: 0.05, JitterRatio: 0.2, RetransmitRatio: 0.012, Age: 90, Idle: 0.5,
		Sent: 1 << 20, Limits: live.Limits{App: 0.7, Network: 0.3}, Verdict: finding.LossLimited, Confidence: 0.9, Warnings: []live.Warning{live.ChaosZone}, Cwnd: 10,
	}
}

func six() *live.Flow {
	return &live.Flow{
		ID: "2b", Local: netip.MustParseAddrPort("[2001:db8::1]:22"), Remote: netip.MustParseAddrPort("[2001:db8::2]:50000"), State: "fin-wait-1",
		CC: "bbr", Container: "abcdef012345", Verdict: live.Watching, Timeouts: -1,
	}
}

// A filter tells that it asks for a judgement, wherever that stands.
func TestJudged(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "sport = 443 and cc = cubic": "", "process = verdict": "",
		"verdict = healthy": "verdict", "not (sport = 443 or warning = chaos-zone)": "warning", "dport = 443 confidence > 0.5": "confidence",
	} {
		f, err := Parse(text, names)
		if err != nil || f.Judged() != want {
			t.Errorf("%s: %q, %v", text, f.Judged(), err)
		}
	}
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]string{
		"": "46",
		// ss's
		"dst 10.0.0.0/8": "4", "dst = 10/8": "4", "dst 10.0.0.2:443": "4", "dst 10.0.0.2:https": "4", "dst 10.0.0.2:80": "",
		"dst :443": "4", "src *:22": "6", "dst *": "46", "src any": "46", "dst != 10.0.0.2": "6", "src [2001:db8::1]": "6",
		"src [2001:db8::1]:22": "6", "src 2001:db8::/32": "6", "src [2001:db8::/32]:22": "6", "src [2001:db8::]/32": "6", "src 2001:db8::1:22": "6", "src inet:*": "4", "src inet6:*": "6",
		"dst far": "46", "dst far:443": "4", "dst [::ffff:10.0.0.2]": "4", "src 0/0": "4", "src ::/0": "6",
		"dport = 443": "4", "dport 443": "4", "dport :443": "4", "dport eq :https": "4", "dport != 443": "6", "dport > 443": "6", "dport ge 443": "46",
		"dport < 443": "", "dport <= :https": "4", "sport lt 23": "6", "sport = *": "46", "dport = inet:443": "4", "dport = inet6:443": "",
		"state established": "4", "state fin-wait-1": "6", "state established state fin-wait-1": "46", "exclude established": "6", "state connected": "46",
		"state all exclude fin-wait-1": "4", "state = ESTABLISHED": "4", "state != established": "6", "state bucket": "", "state big": "46", "state synchronized dport 443": "4",
		"dev eth0": "4", "dev != eth0": "6", "cgroup /system.slice/jellyfin.service": "4", "cgroup = /sys/fs/cgroup/system.slice/jellyfin.service/": "4", "cgroup system.slice": "",
		// ours
		"cc = cubic": "4", "cc=cubic": "4", "cc!=cubic": "6", "cc = *b*": "46", "rtt > 50ms": "4", "rtt>50ms": "4", "rtt <= 50ms": "6", "rate > 1mbit": "4", "rate >= 2mbit": "4", "sent > 2mbit": "", "received = 1kbit": "4",
		"retrans > 1%": "4", "retrans > 0.012": "", "jitter-ratio >= 20%": "4", "limit = app": "4", "limit = none": "6", "process = jellyfin": "", `process = "Web Content"`: "4",
		`process = Web\ Content`: "4", "process = Web*": "4", "process = *b*t": "4", "process = *b*x*": "", "unit = jellyfin": "4", "unit = jellyfin.service": "4", "unit = abc*": "6", "container = abcdef012345": "6",
		"verdict = loss-limited": "4", "verdict = watching": "6", "warning = chaos-zone": "4", "warning != chaos-zone": "6", "pid = 812": "4", "uid >= 1000": "4", "id = 2b": "6",
		"age > 1m": "4", "idle < 1s": "46", "bytes-sent >= 1MiB": "4", "confidence > 0.5": "4", "timeouts < 0": "6", "cwnd = 10": "4", "rate = 0": "6", "remote = 10.0.0.2:443": "4",
		// together
		"cc = cubic and dport = 22": "", "cc = cubic dport = 443": "4", "cc = cubic or cc = bbr": "46", "not cc = cubic": "6", "! cc = cubic": "6", "!cc=cubic": "6", "not not cc = cubic": "4",
		"( cc = cubic )": "4", "(cc=cubic)": "4", "(cc=cubic|cc=bbr)&rtt>50ms": "4", "(cc=cubic||cc=bbr)&&!rtt>50ms": "6",
		"cc = cubic or cc = bbr and dport = 1": "", "cc = cubic or (cc = bbr and dport = 1)": "4", "not cc = bbr or cc = bbr": "46", "not (cc = bbr or cc = cubic)": "",
		"state established and not ( sport = 22 or sport = 23 ) rate > 1mbit": "4",
	} {
		f, err := Parse(text, names)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := ""
		if f.Match(four()) {
			got += "4"
		}
		if f.Match(six()) {
			got += "6"
		}
		if got != want || f.String() != text {
			t.Errorf("%s: matches %q, want %q", text, got, want)
		}
	}
}

func TestErrorsPointAtThePlace(t *testing.T) {
	for text, want := range map[string]struct{ carets, message, hint string }{
		"dport = 80 and":            {"              ^", "a condition is missing", "keys are state, dst"},
		"dprot = 80":                {"^^^^^", `unknown key "dprot"`, "dport"},
		"dport = eighty":            {"        ^^^^^^", `"eighty" is neither a port nor a service's name`, "443"},
		"dport = 70000":             {"        ^^^^^", `"70000" is above 65535`, "443"},
		"dport":                     {"     ^", "dport has no value", "443"},
		"dport = and":               {"        ^^^", `"and" where the value of dport should be`, "443"},
		"cc > cubic":                {"   ^", "cc has no order", "= and !="},
		"rtt > 50":                  {"      ^^", `"50" is no time with a unit`, "50ms"},
		"rate > fast":               {"       ^^^^", "rate", "1mbit"},
		"retrans > much":            {"          ^^^^", "ratio", "1%"},
		"pid = -1":                  {"      ^^", `"-1" is no number`, "10"},
		"verdict = slow":            {"          ^^^^", `there is no "slow"`, "loss-limited"},
		"limit = cpu":               {"        ^^^", `there is no "cpu"`, "network"},
		"warning = doom":            {"          ^^^^", `there is no warning "doom"`, "chaos-zone"},
		"state nope":                {"      ^^^^", `unknown state "nope"`, "established"},
		"state":                     {"     ^", "state has no value", "established"},
		"state > established":       {"      ^", "state has no order", "="},
		"(dport = 80":               {"^", "this bracket is not closed", ""},
		"dport = 80 )":              {"           ^", "nothing is open that this would close", ""},
		"dport = 80 = 90":           {"           ^", `"=" where a condition begins`, "keys"},
		"( )":                       {"  ^", `")" where a condition begins`, "keys"},
		"process = 'a":              {"          ^^", "this quote is not closed", ""},
		"dst 300.1.1.1":             {"    ^^^^^^^^^", `"300.1.1.1" is no address`, "10.0.0.0/8"},
		"dst 1.2.3.4/33":            {"    ^^^^^^^^^^", "0 to 32 bits", "10.0.0.0/8"},
		"dst ::1":                   {"    ^^^", "an IPv6 address stands in brackets: [::1]", "2001"},
		"dst fe80:1:2:3:4:5:6:abcd": {"    ^^^^^^^^^^^^^^^^^^^^^", "an IPv6 address stands in brackets: [fe80:1:2:3:4:5:6:abcd]", "2001"},
		"dst [::1":                  {"    ^^^^", "a bracket is not closed", ""},
		"dst nowhere":               {"    ^^^^^^^", `"nowhere" is neither an address nor a host's name`, ""},
		"dev 1":                     {"    ^", "not by its number", "eth0"},
		"autobound":                 {"^^^^^^^^^", "whether a port was chosen by the kernel is not known", "32768"},
		"sport > *":                 {"        ^", "any port has no order", ""},
		`dport = 1 "cc"`:            {"          ^^^^", `"cc" where a condition begins`, ""},
	} {
		_, err := Parse(text, names)
		wrong, ok := errors.AsType[*words.Error](err)
		if !ok {
			t.Errorf("%s: error %v", text, err)
			continue
		}
		if wrong.Pointer() != text+"\n"+want.carets || !strings.Contains(wrong.Error(), want.message) || !strings.Contains(wrong.Hint(), want.hint) {
			t.Errorf("%s: %v\n%s\nhint %q", text, wrong, wrong.Pointer(), wrong.Hint())
		}
	}
	if _, err := Parse(strings.Repeat("(", 1000), names); err == nil {
		t.Error("a thousand brackets were accepted")
	}
}

// Names are looked up where there is somebody to ask.
func TestNoNames(t *testing.T) {
	for _, text := range []string{"dport = https", "dst far"} {
		if _, err := Parse(text, Names{}); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestApply(t *testing.T) {
	s := &live.Snapshot{Flows: []live.Flow{*four(), *six()}, LostEvents: 3}
	f, err := Parse("cc = bbr", names)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Apply(s); len(got.Flows) != 1 || got.Flows[0].ID != "2b" || got.LostEvents != 3 || len(s.Flows) != 2 {
		t.Errorf("%+v", got)
	}
	if (Filter{}).Apply(s) != s {
		t.Error("no filter makes another snapshot")
	}
}

// not turns a predicate round, brackets change nothing, and of each key some
// comparison splits made-up flows into its two sides.
func TestAlgebra(t *testing.T) {
	flows := livetest.Flows(400, 5)
	count := func(text string) (n int) {
		f, err := Parse(text, names)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range flows {
			if f.Match(&flows[i]) {
				n++
			}
		}
		return n
	}
	for _, text := range []string{"cc = cubic", "rate > 1mbit", "rtt < 40ms", "retrans >= 0.5%", "limit = app", "verdict = healthy", "dport = 443", "process = nginx", "unit = nginx", "jitter-ratio > 10%", "dst 203.0.113.0/24 or sport < 1000"} {
		n := count("(" + text + ")")
		if n+count("not ("+text+")") != len(flows) || count("not not ("+text+")") != n || count(text+" and "+text) != n {
			t.Errorf("%s: %d of %d", text, n, len(flows))
		}
	}
}

func TestComplete(t *testing.T) {
	values := func(key string) []string {
		if key == "process" {
			return []string{"nginx", "Web Content", "nginx"}
		}
		return nil
	}
	for text, want := range map[string]string{
		"":                             "dport sport state not (",
		"dp":                           "dport",
		"dport ":                       "= != >",
		"cc ":                          "= !=",
		"verdict = ":                   "loss-limited watching",
		"verdict = lo":                 "loss-limited",
		"verdict lo":                   "loss-limited",
		"state est":                    "established",
		"limit=":                       "app network",
		"process = ":                   `nginx "Web Content"`,
		"dport = 80 ":                  "and or rate",
		"dport = 80 a":                 "and age",
		"(dport = 80 ":                 "and or )",
		"(":                            "dport not (",
		"dport = 80 and ":              "dport not",
		"dport = 80 or not ver":        "verdict",
		"process = process ":           "and or",
		"verdict = loss-limited and (": "cc",
	} {
		offers, from := Complete(text, values)
		var got []string
		for _, o := range offers {
			got = append(got, o.Text)
		}
		for w := range strings.SplitSeq(want, " ") {
			if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+w+" ") {
				t.Errorf("%q: %q lacks %q", text, got, w)
			}
		}
		if from > len(text) {
			t.Errorf("%q: from %d", text, from)
		}
	}
	if offers, _ := Complete("dport = 80 )", nil); len(offers) == 0 {
		t.Error("nothing after a bracket")
	}
	if offers, _ := Complete("verdict = x", nil); len(offers) != 0 {
		t.Errorf("%v", offers)
	}
}

// What is offered is read: each key with each of its fixed values.
func TestOffersAreRead(t *testing.T) {
	n := 0
	for _, k := range beginnings() {
		values, _ := Complete(k.Text+" = ", nil)
		for _, v := range values {
			if k.Text == "not" || k.Text == "(" {
				continue
			}
			n++
			if _, err := Parse(k.Text+" = "+v.Text, names); err != nil {
				t.Errorf("%s = %s: %v", k.Text, v.Text, err)
			}
		}
	}
	if n < 40 {
		t.Errorf("%d values", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"dst 10.0.0.0/8 and dport = 8096", "(cc=cubic|cc=bbr)&rtt>50ms", "state a state b", "src [::1]:80", `process = "a b"`, "not ! (", "a\\", "dst 1/", "dst [", "'"} {
		f.Add(s)
	}
	flows := []*live.Flow{four(), six(), {}}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := Parse(text, names)
		if wrong, ok := errors.AsType[*words.Error](err); err != nil && (!ok || wrong.Offset < 0 || wrong.Length < 0 || wrong.Offset+wrong.Length > len(text)) {
			t.Fatalf("%q: %#v", text, err)
		}
		for _, flow := range flows {
			if filter.Match(flow) && !filter.Bounds().within(flow.Local, flow.Remote) {
				t.Fatalf("%q lets through what is beyond its bounds: %+v", text, filter.Bounds())
			}
		}
		if _, from := Complete(text, nil); from > len(text) {
			t.Fatal("from")
		}
		if err == nil && filter.match != nil { // it is the same in brackets, and the opposite behind not
			inner, err := Parse("not ("+text+"\n)", names)
			if err != nil {
				t.Fatalf("%q in brackets: %v", text, err)
			}
			for _, flow := range flows {
				if inner.Match(flow) == filter.Match(flow) {
					t.Fatalf("%q matches like its opposite", text)
				}
			}
		}
		if q := Quote(text); text != "" && !strings.ContainsAny(text, "\"'") {
			all, unclosed := tokens(q)
			if unclosed >= 0 || len(all) != 1 || all[0].text != text {
				t.Fatalf("%q is quoted as %q, which is read as %+v", text, q, all)
			}
		}
	})
}

// docs/watch.md lists every key.
func TestDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range beginnings() {
		if k.Text != "not" && k.Text != "(" && !strings.Contains(string(doc), "`"+k.Text+"`") {
			t.Errorf("docs/watch.md does not list %s", k.Text)
		}
	}
}
