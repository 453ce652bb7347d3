package web

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/state"
	"unchoke/internal/unit"
)

// names are the texts of the table's first column.
const names = `[...document.querySelectorAll('#rows a.name')].map(a => a.textContent)`

// hostile is a process name that is markup, with a mark that turns the direction
// of writing.
const hostile = `<img src=x onerror="window.pwned=1">` + "\u202e<b>"

// host makes snapshots of a few flows by hand.
type host struct{ n int }

func (h *host) next() *live.Snapshot {
	h.n++
	s := &live.Snapshot{Schema: live.Schema, Time: livetest.Start.Add(time.Duration(h.n) * time.Second), Interval: 1, Notes: []string{"only root may read all owners"}}
	add := func(id, process string, rate, rtt float64, verdict finding.Cause) {
		f := live.Flow{
			ID: id, State: "established", Local: netip.MustParseAddrPort("192.0.2.10:443"), Remote: netip.MustParseAddrPort("198.51.100.7:40001"),
			Process: process, PID: 7, CC: "cubic", Age: float64(h.n), SentRate: rate * (1 + 0.1*float64(h.n%5)), RTT: rtt, MinRTT: rtt / 2, Jitter: rtt / 5, JitterRatio: 0.2,
			Cwnd: 40, SegmentSize: 1448, RetransmitRatio: 0.01, Retransmits: uint64(h.n), Segments: 5000, Limits: live.Limits{Network: 0.7, App: 0.3}, Verdict: verdict,
		}
		if verdict != live.Watching {
			f.Confidence, f.Summary, f.Advice, f.Next = 0.9, "the summary of "+id, "the advice of "+id, "unchoke tune live 'id = "+id+"' --cc bbr"
			f.Evidence = []finding.Evidence{{What: "retransmits", Value: 0.01, Unit: finding.Ratio}}
			f.Warnings = []live.Warning{live.ChaosZone}
		}
		s.Flows = append(s.Flows, f)
	}
	add("a1", "nginx", 3e6, 0.010, finding.Healthy)
	add("b2", "curl", 2e6, 0.300, finding.LossLimited)
	add("c3", hostile, 1e6, 0.020, finding.Unclear)
	add("d4", "", 0, 0.030, live.Watching)
	return s
}

func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	browser, store := newBrowser(t), savedRecord(t)
	t.Run("live", func(t *testing.T) { testLive(t, newTabOn(t, browser, store)) })
	t.Run("table", func(t *testing.T) { testTable(t, newTabOn(t, browser, store)) })
	t.Run("drill-down", func(t *testing.T) { testDrillDown(t, newTabOn(t, browser, store)) })
	t.Run("before its flow", func(t *testing.T) { testBeforeItsFlow(t, newTabOn(t, browser, store)) })
	t.Run("records", func(t *testing.T) { testRecords(t, newTabOn(t, browser, store)) })
	t.Run("hostile names", func(t *testing.T) { testHostile(t, newTabOn(t, browser, store)) })
	t.Run("for everybody", func(t *testing.T) { testForEverybody(t, newTabOn(t, browser, store)) })
	t.Run("figures", func(t *testing.T) { testFigures(t, newTabOn(t, browser, store)) })
	t.Run("recording", func(t *testing.T) {
		c := &cassette{at: 20 * time.Second, speed: 1}
		w := served{host: &host{}, Server: New(Options{Tape: c})}
		c.seeked = func() { w.Publish(w.next()) }
		address, _ := start(t, w.Server)
		w.tab = newTab(t, browser, address)
		w.Publish(w.next())
		testTape(t, w, c)
	})
	t.Run("restart", func(t *testing.T) {
		w := served{host: &host{}, Server: New(Options{})}
		address, stop := start(t, w.Server)
		w.tab = newTab(t, browser, address, "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY")
		testRestart(t, w, stop)
	})
	t.Run("token", func(t *testing.T) {
		token := NewToken()
		w := served{host: &host{}, Server: New(Options{Token: token})}
		address, _ := start(t, w.Server)
		w.tab = newTab(t, browser, address, "401")
		testTokenPage(t, w, token)
	})
}

// served is a server with its host and a tab on it.
type served struct {
	*host
	*Server
	tab *tab
}

// savedRecord is a store with one check.
func savedRecord(t *testing.T) state.Store {
	t.Helper()
	store := state.Store{Dir: t.TempDir()}
	run, err := state.ReadFile("../diagnose/testdata/loss-limited--wireguard-up.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	*run.Identity() = ""
	if err := store.Save(run); err != nil {
		t.Fatal(err)
	}
	return store
}

// newTabOn serves a host with records, and opens a tab on it.
func newTabOn(t *testing.T, browser context.Context, store state.Store) served {
	t.Helper()
	w := served{host: &host{}, Server: New(Options{
		List: store.List, Load: func(id string) (record.Document, error) { return store.Load(id) },
		Opened: &Opened{Name: "a sweep", Command: "lab run", Report: scripted{}},
	})}
	address, _ := start(t, w.Server)
	w.tab = newTab(t, browser, address, "evil inline script")
	w.Publish(w.next())
	w.Publish(w.next())
	return w
}

func testLive(t *testing.T, w served) {
	p := w.tab
	p.open("/", 1280, "light")
	p.until(`document.querySelectorAll('#rows tr').length === 4`)
	p.until(`document.getElementById('connection').dataset.state === 'live'`)
	p.want("the rows by rate", strings.Join(js[[]string](p, names), " ")[:10], "nginx curl")
	out := `document.querySelector('#rows tr .c-sent').innerText`
	before := js[string](p, out)
	w.Publish(w.next())
	p.until(out + ` !== ` + fmt.Sprintf("%q", before))
	p.want("the rate", js[string](p, out), "3.90 Mbit/s")
	p.want("notes", js[string](p, `document.getElementById('notes').innerText`), "only root may read all owners")

	p.do(chromedp.Click(chromedp.CSS("#freeze")))
	p.until(`document.getElementById('connection').innerText.startsWith('frozen at ')`)
	w.Publish(w.next())
	time.Sleep(300 * time.Millisecond)
	p.want("the frozen rate", js[string](p, out), "3.90 Mbit/s")
	p.do(chromedp.Click(chromedp.CSS("#freeze")))
	p.until(out + ` === "4.20 Mbit/s"`)
	p.until(`document.getElementById('connection').dataset.state === 'live'`)
	w.End()
	p.until(`document.getElementById('connection').innerText === 'the recording is over'`)
}

func testTable(_ *testing.T, w served) {
	p := w.tab
	p.open("/", 1280, "light")
	p.until(`document.querySelectorAll('#rows tr').length === 4`)
	p.do(chromedp.Click(chromedp.CSS(`#head button[data-sort=rtt]`)))
	p.until(`document.querySelector('#rows a.name').textContent === 'curl'`)
	p.want("the address", js[string](p, `location.search`), "?sort=rtt")
	p.want("the column", js[string](p, `document.querySelector('th.c-rtt').getAttribute('aria-sort')`), "descending")
	p.do(chromedp.Click(chromedp.CSS(`#head button[data-sort=rtt]`)))
	p.until(`document.querySelector('#rows a.name').textContent === 'nginx'`)
	p.want("the address", js[string](p, `location.search`), "?sort=-rtt")

	p.slash()
	p.want("the focus after /", js[string](p, `document.activeElement.id`), "filter")
	p.key("process = curl")
	p.until(`document.querySelectorAll('#rows tr').length === 1`)
	p.want("the address", js[string](p, `new URLSearchParams(location.search).get('filter')`), "process = curl")
	p.key(" and rtt > moon")
	p.until(`!document.getElementById('filter-fault').hidden`)
	if fault := js[string](p, `document.getElementById('filter-fault').innerText`); !strings.Contains(fault, "\n                         ^^^^") {
		p.t.Errorf("the fault does not point at the place: %q", fault)
	}
	p.key(kb.Escape)
	p.until(`document.querySelectorAll('#rows tr').length === 4 && document.getElementById('filter-fault').hidden`)

	js[string](p, `(() => { const g = document.getElementById('group'); g.value = 'process'; g.dispatchEvent(new Event('change')); return ''; })()`)
	p.until(`document.querySelectorAll('#table[data-of=groups-process] #rows tr').length === 4`)
	js[string](p, `(() => { [...document.querySelectorAll('#rows a.name')].find(a => a.textContent === 'curl').click(); return ''; })()`)
	p.until(`document.querySelectorAll('#table[data-of=flows] #rows tr').length === 1`)
	p.want("the group", js[string](p, `document.querySelector('#inside b').textContent`), "curl")
	js[string](p, `(() => { document.querySelector('#verdicts a').click(); return ''; })()`)
	p.until(`document.getElementById('filter').value === 'verdict = loss-limited'`)
	js[string](p, `(() => { history.back(); return ''; })()`)
	p.until(`document.getElementById('filter').value === ''`)
}

func testDrillDown(t *testing.T, w served) {
	p := w.tab
	p.open("/?sort=rtt", 1280, "light")
	p.until(`document.querySelectorAll('#rows tr').length === 4`)
	p.key(kb.ArrowDown)
	p.key(kb.ArrowDown)
	p.key(kb.ArrowUp)
	p.want("the row", js[string](p, `document.activeElement.dataset.id`), "b2")
	for range 3 { // the focus follows the flow, whatever moves
		w.Publish(w.next())
	}
	p.until(`document.querySelector('#rows tr .c-age .n').textContent === '5'`)
	p.want("the row, later", js[string](p, `document.activeElement.dataset.id`), "b2")
	p.key(kb.Enter)
	p.until(`document.querySelector('#flow h2')?.textContent === 'curl ↔ 198.51.100.7:40001'`)
	for what, want := range map[string]string{
		".verdict strong": "loss-limited", ".sure": "90 % sure", ".sentence": "the summary of b2", ".advised": "advicethe advice of b2",
		".next code": "unchoke tune live 'id = b2' --cc bbr", ".evidence td": "1 %",
	} {
		p.want(what, strings.ReplaceAll(js[string](p, `document.querySelector('#flow `+what+`').textContent`), "\u00a0", " "), want)
	}
	if !strings.Contains(js[string](p, `document.querySelector('.warned').textContent`), "Chaos zone") {
		t.Error("the warning is not told")
	}
	const painted = `[...document.querySelectorAll('#flow canvas')].map(c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size)`
	if colours := js[[]int](p, painted); len(colours) != 5 {
		t.Errorf("%d charts", len(colours))
	} else {
		for i, n := range colours {
			if n < 5 {
				t.Errorf("chart %d has %d colours: nothing is drawn", i, n)
			}
		}
	}
	reading := `document.querySelector('#chart-rate .reading').textContent`
	before := js[string](p, reading)
	w.Publish(w.next())
	p.until(reading + ` !== ` + fmt.Sprintf("%q", before))
	if label := js[string](p, `document.querySelector('#chart-rtt .plot').getAttribute('aria-label')`); !strings.HasPrefix(label, "Round-trip time and jitter, RTT: now 300") {
		t.Errorf("the chart is called %q", label)
	}
	// A link to the flow opens it.
	link := js[string](p, `location.pathname + location.search`)
	p.key(kb.Escape)
	p.until(`!document.getElementById('flows').hidden && document.activeElement.dataset.id === 'b2'`)
	p.open(link, 1280, "dark")
	p.until(`document.querySelector('#flow .verdict strong').textContent === 'loss-limited'`)
	p.open("/?flow=nosuch", 1280, "light")
	p.until(`document.querySelector('#flow .ended').textContent.startsWith('There is no such connection')`)
}

// testBeforeItsFlow opens a connection that is not there yet, and others after it.
func testBeforeItsFlow(t *testing.T, w served) {
	p := w.tab
	const (
		absent = `document.querySelector('#flow .ended')?.textContent.startsWith('There is no such connection')`
		shown  = `document.querySelector('#flow .verdict')?.checkVisibility() && document.querySelector('#flow .ended').hidden`
	)
	late := func() {
		s := w.next()
		f := s.Flows[1]
		f.ID = "e5"
		s.Flows = append(s.Flows, f)
		w.Publish(s)
	}
	p.open("/?flow=e5", 1280, "light")
	p.until(absent)
	late()
	p.until(shown)
	late()
	p.until(`document.querySelector('#chart-rtt .read b').textContent === '300 ms'`)

	p.open("/?flow=nosuch", 1280, "light")
	p.until(absent)
	js[string](p, `(() => { document.querySelector('#flow .back').click(); return ''; })()`)
	p.until(`document.querySelectorAll('#rows tr').length > 3`)
	js[string](p, `(() => { [...document.querySelectorAll('#rows a.name')].find(a => a.textContent === 'curl').click(); return ''; })()`)
	p.until(shown)
}

func testHostile(t *testing.T, w served) {
	p := w.tab
	p.open("/?group=process", 1280, "light")
	p.until(`document.querySelectorAll('#rows tr').length === 4`)
	want := strings.ReplaceAll(hostile, "\u202e", `\u202e`)
	found := func() {
		t.Helper()
		if all := strings.Join(js[[]string](p, names), "\n"); !strings.Contains(all, want) {
			t.Errorf("the name is not shown as it is: %q", all)
		}
	}
	found()
	p.open("/", 1280, "light")
	p.until(`document.querySelectorAll('#rows tr').length === 4`)
	found()
	p.open("/?flow=c3", 1280, "light")
	p.until(`document.querySelector('#flow h2').textContent.startsWith('<img')`)
	if js[bool](p, `Boolean(window.pwned) || document.images.length > 0 || document.querySelector('main b b, h2 b') !== null`) {
		t.Error("the name became markup")
	}
	if strings.ContainsRune(js[string](p, `document.documentElement.outerHTML + document.title`), '\u202e') {
		t.Error("a mark that turns the direction gets onto the page")
	}
}

// scripted is a report with a script of its own, and one that foreign text
// brought.
type scripted struct{}

const ownStyle, ownScript = "p { color: rgb(1, 2, 3); }", "document.getElementById('p').textContent = 'own script ran';"

func (scripted) HTML(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<!DOCTYPE html><title>sweep</title><style>%s</style><style>p { color: red; }</style><p id="p"></p><script>%s</script><script>document.getElementById('p').textContent = 'evil inline script'</script>`, ownStyle, ownScript)
	return err
}

func (scripted) Policy() string { return render.Policy(ownStyle, ownScript) }

func testRecords(t *testing.T, w served) {
	p := w.tab
	p.forgiven = append(p.forgiven, "Content Security Policy") // of the report's foreign script and style; checked below
	p.open("/?view=records", 1280, "light")
	p.until(`document.querySelectorAll('#records tbody tr').length === 2`)
	p.want("the opened one", js[string](p, `document.querySelector('#records tbody a').textContent`), "a sweep")
	id := js[string](p, `document.querySelectorAll('#records tbody a')[1].getAttribute('href').split('=')[1]`)
	js[string](p, `(() => { document.querySelectorAll('#records tbody a')[1].click(); return ''; })()`)
	p.until(`document.querySelector('iframe.report')`)
	p.want("the frame's sandbox", js[string](p, `document.querySelector('iframe').getAttribute('sandbox')`), "allow-scripts")
	js[string](p, `new Promise(done => { const f = document.querySelector('iframe'); f.onload = () => done(''); f.src = f.src; })`)

	// The reports themselves, under the same policy.
	p.open("/records/"+id, 1280, "light")
	p.want("the check's verdict", js[string](p, `document.querySelector('.verdict strong').textContent`), "loss-limited")
	p.want("its style", js[string](p, `getComputedStyle(document.querySelector('.verdict')).borderLeftWidth`), "4px")
	p.want("its origin", js[string](p, `self.origin`), "null")
	p.open("/records/opened", 1280, "light")
	p.want("the own script and no other", js[string](p, `document.getElementById('p').textContent`), "own script ran")
	p.want("the own style and no other", js[string](p, `getComputedStyle(document.getElementById('p')).color`), "rgb(1, 2, 3)")
	for _, wrong := range []string{"/records/nosuch", "/records/..%2f..%2fetc%2fpasswd", "/records/20260101-000000-abcdef"} {
		if answer, _ := ask(t, "GET", p.address, wrong); answer.StatusCode != 404 {
			t.Errorf("%s: %d", wrong, answer.StatusCode)
		}
	}
}

// testForEverybody looks at every part in both themes and on a telephone.
func testForEverybody(t *testing.T, w served) {
	p := w.tab
	for _, part := range []struct{ path, there string }{
		{"/", `document.querySelectorAll('#rows tr').length === 4`},
		{"/?group=remote", `document.querySelectorAll('#rows tr').length === 1`},
		{"/?filter=rtt+>+moon", `!document.getElementById('filter-fault').hidden`},
		{"/?flow=b2", `document.querySelector('#flow .evidence td')`},
		{"/?view=records", `document.querySelector('#records tbody tr')`},
	} {
		p.open(part.path, 1280, "light")
		p.until(part.there)
		for _, width := range []int64{1280, 360} {
			for _, theme := range []string{"light", "dark"} {
				p.look(width, theme)
				for _, fault := range js[[]string](p, audit) {
					t.Errorf("%s, %s, %d wide: %s", part.path, theme, width, fault)
				}
			}
		}
	}
}

// testFigures holds the page's figures against the program's.
func testFigures(t *testing.T, w served) {
	p := w.tab
	p.open("/", 1280, "light")
	for _, v := range []float64{1, 12.345, 999.4, 999.6, 1234, 999_499, 999_600, 2.5e6, 9.994e6, 9.996e6, 1.2e9, 40e9} {
		p.want(fmt.Sprintf("the rate %v", v), js[string](p, fmt.Sprintf(`import('/static/format.js').then(f => f.words(f.rate(%v)))`, v)), strings.ReplaceAll(unit.HumanRate(v), " ", "\u00a0"))
	}
	for _, v := range []float64{4e-6, 0.000402, 0.0099949, 0.0502, 0.9994, 0.9996, 12.3} {
		p.want(fmt.Sprintf("the time %v", v), js[string](p, fmt.Sprintf(`import('/static/format.js').then(f => f.words(f.time(%v)))`, v)), strings.ReplaceAll(unit.HumanTime(v), " ", "\u00a0"))
	}
	for _, v := range []float64{0.0004, 0.00125, 0.0123, 0.5, 1} {
		p.want(fmt.Sprintf("the share %v", v), js[string](p, fmt.Sprintf(`import('/static/format.js').then(f => f.words(f.plain(f.share(%v))))`, v)), strings.ReplaceAll(unit.Ratio(v).Human(), " ", "\u00a0"))
	}
}

func testRestart(t *testing.T, w served, stop func()) {
	p := w.tab
	w.Publish(w.next())
	p.open("/", 1280, "light")
	p.until(`document.getElementById('connection').dataset.state === 'live'`)
	stop()
	p.until(`document.getElementById('connection').innerText === 'reconnecting …'`)
	again := New(Options{})
	serve(t, again, listenAgain(t, p.address))
	for range 4 {
		again.Publish(w.next())
	}
	p.until(`document.getElementById('connection').dataset.state === 'live' && document.querySelector('#rows tr .c-age .n').textContent === '5'`)
}

func testTokenPage(t *testing.T, w served, token string) {
	p := w.tab
	w.Publish(w.next())
	p.open("/?token="+token+"&sort=rtt", 1280, "light")
	p.until(`document.querySelectorAll('#rows tr').length === 4`)
	p.want("the address bar", js[string](p, `location.search`), "?sort=rtt")
	p.want("what scripts see of the cookie", js[string](p, `document.cookie`), "")
	p.do(chromedp.Reload())
	p.until(`document.querySelectorAll('#rows tr').length === 4`)
}
