package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/report/rendertest"
	"unchoke/internal/state"
)

// lossy is a record of a lab path with 0.557 % of random loss on its way up.
const lossy = "../../diagnose/testdata/loss-limited--wireguard-up.json.gz"

func checkOf(t *testing.T, file string) Report {
	t.Helper()
	run, err := state.ReadRun(file)
	if err != nil {
		t.Fatal(err)
	}
	return New(run)
}

func TestGolden(t *testing.T) {
	c := checkOf(t, lossy)
	c.Warnings = []string{"no echo probes: ICMP echo not permitted"}
	c.Skipped = []record.Skip{{Step: "TCP, eight streams down", Why: "not enough left of the 30s of path time"}, {Step: "TCP, eight streams up", Why: "not enough left of the 30s of path time"}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"check.txt":  func(b *bytes.Buffer) error { return c.Text(b, render.Style{Width: 80}) },
		"check.md":   func(b *bytes.Buffer) error { return c.Markdown(b) },
		"check.html": func(b *bytes.Buffer) error { return c.HTML(b) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		rendertest.Golden(t, name, got.String())
	}
}

func TestColour(t *testing.T) {
	var b bytes.Buffer
	if err := checkOf(t, lossy).Text(&b, render.Style{Width: 80, Colour: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\x1b[1;31mLOSS-LIMITED\x1b[0m") {
		t.Error("the verdict is not red")
	}
}

// What a run kept of each instant stays in its record.
func TestInstantsStayInTheRecord(t *testing.T) {
	r := &record.Run{Transfers: []record.Transfer{{
		Direction: record.Up, Streams: 1, Packets: &record.Packets{Gap: []int32{1}},
		Series: []record.Series{{Sender: true, Samples: make([]record.Sample, 2)}},
	}}}
	if x := New(r).Transfers[0]; x.Series != nil || x.Packets != nil {
		t.Errorf("in the report: %+v", x)
	}
	if r.Transfers[0].Series == nil || r.Transfers[0].Packets == nil {
		t.Error("the record has lost them")
	}
}

// What others read of the document must not change its name.
func TestJSONKeys(t *testing.T) {
	var b bytes.Buffer
	if err := checkOf(t, lossy).JSON(&b); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	has := func(in any, keys ...string) {
		t.Helper()
		m, ok := in.(map[string]any)
		if !ok {
			t.Fatalf("%T is no object", in)
		}
		for _, k := range keys {
			if _, ok := m[k]; !ok {
				t.Errorf("no key %s", k)
			}
		}
	}
	has(doc, "schema", "target", "path", "transfers", "findings", "verdict")
	has(doc["path"], "rtt_s", "jitter_s", "jitter_rtt_ratio", "loss_ratio", "reorder_ratio", "tunnel")
	has(doc["path"].(map[string]any)["tunnel"], "kind", "device", "relayed")
	has(doc["transfers"].([]any)[0], "name", "direction", "protocol", "streams", "cc", "rate_bps", "retransmits", "duration_s", "intervals")
	lead := doc["findings"].([]any)[0]
	has(lead, "cause", "direction", "confidence", "summary", "evidence", "remedies")
	has(lead.(map[string]any)["evidence"].([]any)[0], "what", "value", "unit")
	has(lead.(map[string]any)["remedies"].([]any)[0], "what", "where", "action", "command")
	if doc["schema"] != Schema || doc["verdict"] != string(finding.LossLimited) {
		t.Errorf("schema %v, verdict %v", doc["schema"], doc["verdict"])
	}
}

func TestNothingMeasured(t *testing.T) {
	c := New(&record.Run{Target: "far:5201", Error: "the server vanished"})
	var text, markdown, doc bytes.Buffer
	for _, err := range []error{c.Text(&text, render.Style{Width: 80}), c.Markdown(&markdown), c.JSON(&doc)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(text.String(), "the server vanished") {
		t.Error("the text does not say that the check is incomplete")
	}
	if strings.Contains(text.String(), "record") || strings.Contains(markdown.String(), "record") {
		t.Errorf("a record that was not saved is named:\n%s\n%s", &text, &markdown)
	}
}

func TestSparkline(t *testing.T) {
	tr := record.Transfer{Duration: 4}
	for i, rate := range []float64{0, 50, 100, 100} {
		tr.Intervals = append(tr.Intervals, record.Interval{At: float64(i + 1), Bytes: int64(rate / 8 * 8), Rate: rate * 8})
	}
	if got := sparkline(&tr, 4, 800); got != "▁▅██" {
		t.Errorf("sparkline %s", got)
	}
	if got := sparkline(&record.Transfer{}, 4, 800); got != "" {
		t.Errorf("sparkline of nothing: %q", got)
	}
}

// A connection that was looked at is reported as a check is, in each form.
func TestFlowGolden(t *testing.T) {
	c := checkOf(t, "../../diagnose/testdata/loss-limited--flow-rsync-over-ssh.json.gz")
	c.Flow.Others = []record.Other{{Only: "dst 192.0.2.7:50000 and sport = 2222", Process: "sshd", Sent: 1.2e6, Received: 3e3}}
	c.Flow.Matched = 2
	for name, write := range map[string]func(*bytes.Buffer) error{
		"flow.txt":  func(b *bytes.Buffer) error { return c.Text(b, render.Style{Width: 80}) },
		"flow.md":   func(b *bytes.Buffer) error { return c.Markdown(b) },
		"flow.html": func(b *bytes.Buffer) error { return c.HTML(b) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		rendertest.Golden(t, name, got.String())
	}
}

// The stream that is drawn is the one of which the diagnosis is, also where a later one had
// less for what our own flood of UDP made an AQM do.
func TestStreamOfTheDiagnosis(t *testing.T) {
	c := checkOf(t, "../../diagnose/testdata/healthy--own-flood-behind-cake-in-wireguard.json.gz")
	if one := c.transfer(record.Down, false); one == nil || one.Name != "down-1" {
		t.Errorf("down: %+v", one)
	}
	if one := c.transfer(record.Up, false); one == nil || one.Name != "up-1-longer" {
		t.Errorf("up: %+v", one)
	}
	if many := c.transfer(record.Down, true); many == nil || many.Streams != 8 {
		t.Errorf("eight down: %+v", many)
	}
}

// A receive buffer that does not grow is as large as a new one.
func TestFixedBuffersAreSaid(t *testing.T) {
	host := record.Host{OS: "linux", TCPRmem: [3]int64{4096, 131072, 6291456}, TCPWmem: [3]int64{4096, 16384, 4194304}}
	for autotuning, want := range map[string]string{
		"":         "send ≤ 4.00 MiB, receive ≤ 6.00 MiB",
		"disabled": "send ≤ 4.00 MiB, receive fixed at 128 KiB",
	} {
		host.Autotuning = autotuning
		if got := bufferWords(host); got != want {
			t.Errorf("%q: %q, not %q", autotuning, got, want)
		}
	}
}

// A stream by CUBIC stands below the host's own, in each form.
func TestCubicBesideTheHostsOwn(t *testing.T) {
	c := checkOf(t, lossy)
	own := *c.transfer(record.Up, false)
	own.Name, own.CC, own.SteadyRate = "up-1-cubic", "cubic", 1.23e6
	c.Cubic = []record.Transfer{own}
	for name, write := range map[string]struct {
		want string
		to   func(*bytes.Buffer) error
	}{
		"text":     {"by CUBIC 1.23 Mbit/s", func(b *bytes.Buffer) error { return c.Text(b, render.Style{Width: 80}) }},
		"markdown": {"1.23 Mbit/s", func(b *bytes.Buffer) error { return c.Markdown(b) }},
		"page":     {"1.23 Mbit/s", func(b *bytes.Buffer) error { return c.HTML(b) }},
	} {
		var got bytes.Buffer
		if err := write.to(&got); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(got.String()), " "); strings.Count(text, write.want) != 1 {
			t.Errorf("%s: %q is not there once", name, write.want)
		}
	}
}
