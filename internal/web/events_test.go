package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
)

// event is one of a stream.
type event struct{ id, name, data string }

// stream reads events until the test ends.
type stream struct {
	t      *testing.T
	reader *bufio.Reader
	body   io.Closer
	retry  string
}

func open(t *testing.T, address, path string, headers ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); answer.Body.Close() })
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("%s: %d, %s", path, answer.StatusCode, kind)
	}
	return &stream{t: t, reader: bufio.NewReader(answer.Body), body: answer.Body}
}

// next reads an event as the HTML standard has it.
func (s *stream) next() (event, error) {
	var e event
	for {
		line, err := s.reader.ReadString('\n')
		if err != nil {
			return e, err
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.name != "":
			return e, nil
		case field == "id":
			e.id = value
		case field == "event":
			e.name = value
		case field == "data":
			e.data += value
		case field == "retry":
			s.retry = value
		}
	}
}

// want reads the next event, of this name, into v.
func (s *stream) want(name string, v any) event {
	s.t.Helper()
	e, err := s.next()
	if err != nil || e.name != name {
		s.t.Fatalf("event %+v, %v, want %s", e, err, name)
	}
	if err := json.Unmarshal([]byte(e.data), v); err != nil {
		s.t.Fatal(err)
	}
	return e
}

func snapshots(t *testing.T, n int) *livetest.Source {
	t.Helper()
	return livetest.NewSource(n, 1)
}

func next(t *testing.T, src *livetest.Source) *live.Snapshot {
	t.Helper()
	s, err := src.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStream(t *testing.T) {
	s, src := New(Options{}), snapshots(t, 400)
	address, _ := start(t, s)
	empty := open(t, address, "/events") // before there is anything
	s.Publish(next(t, src))
	var v view
	first := empty.want("view", &v)
	if v.All != 400 || v.Flows != 400 || v.Total != 400 || len(v.Rows) != pageRows || v.Interval != 1 || empty.retry != "1000" {
		t.Errorf("%d flows, %d shown, %d rows, interval %v, retry %q", v.All, v.Flows, len(v.Rows), v.Interval, empty.retry)
	}
	for i := 1; i < len(v.Rows); i++ {
		if a, b := v.Rows[i-1], v.Rows[i]; max(a.Sent, a.Received) < max(b.Sent, b.Received) {
			t.Fatalf("row %d carries less than the next", i-1)
		}
	}
	s.Publish(next(t, src))
	second := empty.want("view", &v)
	if first.id == "" || first.id == second.id {
		t.Errorf("ids %q and %q", first.id, second.id)
	}

	var filtered, paged, sorted, grouped, inside view
	open(t, address, "/events?filter=process+%3D+nginx").want("view", &filtered)
	if filtered.Flows == 0 || filtered.Flows == filtered.All {
		t.Errorf("%d of %d flows pass", filtered.Flows, filtered.All)
	}
	for _, r := range filtered.Rows {
		if r.Process != "nginx" {
			t.Errorf("%q passes", r.Process)
		}
	}
	open(t, address, "/events?from=350").want("view", &paged)
	if paged.From != 300 || len(paged.Rows) != 100 {
		t.Errorf("from %d, %d rows", paged.From, len(paged.Rows))
	}
	open(t, address, "/events?sort=-rtt").want("view", &sorted)
	if a, b := sorted.Rows[0].RTT, sorted.Rows[99].RTT; a > b {
		t.Errorf("sorted by the least RTT: %v, then %v", a, b)
	}
	open(t, address, "/events?group=process").want("view", &grouped)
	flows := 0
	for _, g := range grouped.Groups {
		flows += g.Flows
	}
	if grouped.Rows != nil || len(grouped.Groups) < 5 || flows != grouped.Flows {
		t.Errorf("%d groups of %d flows, want %d", len(grouped.Groups), flows, grouped.Flows)
	}
	open(t, address, "/events?group=process&in=").want("view", &inside) // of unknown owners
	for _, r := range inside.Rows {
		if r.Process != "" {
			t.Errorf("%q is in the group of unknown owners", r.Process)
		}
	}
	if inside.Total == 0 {
		t.Error("no flow of unknown owners")
	}
	var open1, closed view
	open(t, address, "/events").want("view", &open1)
	open(t, address, "/events?closed=1").want("view", &closed)
	if closed.Total != open1.Total+2 { // one in two hundred
		t.Errorf("%d flows with closed ones, %d without", closed.Total, open1.Total)
	}
}

func TestReconnecting(t *testing.T) {
	s, src := New(Options{}), snapshots(t, 5)
	address, _ := start(t, s)
	s.Publish(next(t, src))
	var v view
	e := open(t, address, "/events").want("view", &v)
	back := open(t, address, "/events", "Last-Event-ID: "+e.id)
	s.Publish(next(t, src))
	if again := back.want("view", &v); again.id == e.id {
		t.Error("what it had seen was sent again")
	}
	open(t, address, "/events", "Last-Event-ID: of-another-start-1").want("view", &v)
}

func TestRefusedQueries(t *testing.T) {
	s := New(Options{})
	address, _ := start(t, s)
	for _, path := range []string{"?sort=shoe-size", "?group=moon", "?from=-1", "?from=x", "?filter=rtt+>+moon"} {
		st := open(t, address, "/events"+path)
		var r refusal
		st.want("refused", &r)
		if r.Error == "" || (path == "?filter=rtt+>+moon") != (r.Hint != "" && strings.Contains(r.Pointer, "\n      ^^^^")) {
			t.Errorf("%s: %+v", path, r)
		}
		if _, err := st.next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: the stream goes on: %v", path, err)
		}
	}
}

func TestFlowPage(t *testing.T) {
	s, src := New(Options{}), snapshots(t, 40)
	address, _ := start(t, s)
	id := ""
	for range 20 {
		x := next(t, src)
		s.Publish(x)
		for i := range x.Flows {
			if f := &x.Flows[i]; f.Process == "jellyfin" && !f.Closed && f.Verdict == "loss-limited" {
				id = f.ID
			}
		}
	}
	var v flowView
	st := open(t, address, "/events?flow="+id)
	st.want("flow", &v)
	if v.Flow.ID != id || v.Title == "" || v.History == nil || len(v.History.Time) < 10 || v.History.Sent[3] == 0 || len(v.History.Network) != len(v.History.Time) {
		t.Errorf("%+v, history %+v", v.Flow, v.History)
	}
	s.Publish(next(t, src))
	v = flowView{}
	if st.want("flow", &v); v.History != nil {
		t.Error("the history is sent again")
	}
	var nothing struct{}
	open(t, address, "/events?flow=nosuch").want("gone", &nothing)
}

// A flow that comes after its page was opened has its history too.
func TestFlowPageBeforeItsFlow(t *testing.T) {
	s, h := New(Options{}), &host{}
	address, _ := start(t, s)
	before := h.next()
	before.Flows = nil
	s.Publish(before)
	st := open(t, address, "/events?flow=b2")
	var nothing struct{}
	st.want("gone", &nothing)
	s.Publish(h.next())
	var v flowView
	if st.want("flow", &v); v.History == nil {
		t.Error("the first figures come without a history")
	}
}

func TestTheEnd(t *testing.T) {
	s, src := New(Options{}), snapshots(t, 3)
	address, _ := start(t, s)
	s.Publish(next(t, src))
	st := open(t, address, "/events")
	var v view
	st.want("view", &v)
	s.End()
	var nothing struct{}
	st.want("view", &v)
	st.want("ended", &nothing)
}

// A stream that has nothing to say says that it lives.
func TestHeartbeat(t *testing.T) {
	s := New(Options{})
	s.beat = 10 * time.Millisecond
	address, _ := start(t, s)
	st := open(t, address, "/events")
	for range 5 {
		if line, err := st.reader.ReadString('\n'); err != nil || strings.HasPrefix(line, ": ") {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("no heartbeat")
}

func TestStreamsAreLimited(t *testing.T) {
	s := New(Options{Streams: 2})
	address, stop := start(t, s)
	open(t, address, "/events")
	second := open(t, address, "/events")
	if answer, body := ask(t, "GET", address, "/events"); answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("the third: %d: %s", answer.StatusCode, body)
	}
	second.body.Close()
	for range 100 {
		s.feed.mu.Lock()
		n := len(s.feed.streams)
		s.feed.mu.Unlock()
		if n < 2 {
			open(t, address, "/events")
			stop() // ends the streams, and Serve with them
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a stream whose page has gone keeps its place")
}

// A page that does not read misses snapshots; nothing is kept for it, nobody
// waits for it, and in the end it is given up.
func TestSlowReader(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	s, src := New(Options{}), snapshots(t, 3000)
	s.patience = 200 * time.Millisecond
	address, _ := start(t, s)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	fmt.Fprintf(c, "GET /events HTTP/1.1\r\nHost: %s\r\n\r\n", address)
	quick := open(t, address, "/events")
	seen, longest := 0, time.Duration(0)
	gone := false
	for deadline := time.Now().Add(10 * time.Second); !gone && time.Now().Before(deadline); {
		x := next(t, src)
		from := time.Now()
		s.Publish(x)
		longest = max(longest, time.Since(from))
		var v view
		quick.want("view", &v)
		seen++
		s.feed.mu.Lock()
		gone = len(s.feed.streams) == 1
		s.feed.mu.Unlock()
	}
	if !gone {
		t.Error("it is still served")
	}
	if longest > time.Second {
		t.Errorf("a snapshot waited for %v", longest)
	}
	t.Logf("%d snapshots until it was given up, the longest took %v to publish", seen, longest)
}

// Connections beyond the most are turned away, and places become free again.
func TestConnectionsAreLimited(t *testing.T) {
	address, _ := start(t, New(Options{}))
	var all []net.Conn
	for range connectionsMost {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one too many is not turned away: %v", err)
	}
	for _, c := range all {
		c.Close()
	}
	for range 100 {
		r, err := http.Get("http://" + address + "/")
		if err == nil {
			r.Body.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("no place becomes free")
}

// What ten thousand flows cost a page: the size of an event.
func TestEventSize(t *testing.T) {
	src := snapshots(t, 10_000)
	s := New(Options{})
	for range 3 {
		s.Publish(next(t, src))
	}
	for _, text := range []string{"", "sort=remote", "group=remote", "closed=1&from=5000"} {
		q := asked(t, text)
		from := time.Now()
		data, err := json.Marshal(q.view(s.feed.now()))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 64<<10 {
			t.Errorf("%q: %d bytes", text, len(data))
		}
		t.Logf("%q: %d bytes, made in %v", text, len(data), time.Since(from))
	}
}

// What a snapshot of ten thousand flows costs: once, and for each page.
func BenchmarkSnapshot(b *testing.B) {
	src := livetest.NewSource(10_000, 1)
	s := New(Options{})
	all := make([]*live.Snapshot, 20)
	for i := range all {
		all[i], _ = src.Next(context.Background())
		s.Publish(all[i])
	}
	q, err := parseQuery(url.Values{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("once", func(b *testing.B) {
		for i := range b.N {
			s.Publish(all[i%len(all)])
		}
	})
	b.Run("each page", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(q.view(s.feed.now())); err != nil {
				b.Fatal(err)
			}
		}
	})
}
