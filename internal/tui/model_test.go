package tui

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
	"unchoke/internal/live/table"
)

// Whatever keys come, at whatever sizes, between whatever snapshots: the screen
// holds text and colours, and no line is longer than it is wide.
func TestEveryScreenFits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m, src := watching(t, 80, 24, 60, 3, Options{Filter: containing, Tape: &tape{length: time.Hour}})
	keys := []string{"up", "down", "pgup", "pgdown", "home", "end", "enter", "esc", "left", "right", "backspace"}
	for _, list := range [][]binding{ofTable(), ofPage(), ofTape()} {
		for _, b := range list {
			keys = append(keys, b.keys...)
		}
	}
	keys = append(keys, "?", " ", "nginx", "世界", "g", "s")
	for i := range 3000 {
		switch r.IntN(6) {
		case 0:
			m = send(m, tea.WindowSizeMsg{Width: 1 + r.IntN(170), Height: 1 + r.IntN(50)})
		case 1:
			m = advance(t, m, src)
		case 2:
			m = send(m, tea.PasteMsg{Content: livetest.HostileProcess})
		default:
			m = press(m, keys[r.IntN(len(keys))])
		}
		if screen(t, m); t.Failed() {
			t.Fatalf("after %d steps at %d×%d:\n%q", i, m.width, m.height, m.View().Content)
		}
	}
}

// containing is a filter that knows one word: the process' name.
func containing(text string) (func(*live.Flow) bool, error) {
	if strings.Contains(text, "=") {
		return nil, errors.New("no = here\n  ^")
	}
	return func(f *live.Flow) bool { return f.Process == text }, nil
}

func TestSelectionFollowsTheFlow(t *testing.T) {
	m, src := watching(t, 80, 24, 200, 3, Options{})
	m = press(m, "pgdown", "down", "down")
	selected, line := m.list.selected, m.list.at-m.list.top
	moved := false
	for range 20 {
		before := m.list.at
		m = advance(t, m, src)
		if !slices.ContainsFunc(m.list.rows, func(r row) bool { return r.key() == selected }) {
			t.Skip("the flow closed: another seed")
		}
		moved = moved || m.list.at != before
		if m.list.selected != selected || m.list.rows[m.list.at].key() != selected {
			t.Fatalf("selected %v, was at %v", m.list.rows[m.list.at].key(), selected)
		}
		if want := min(line, m.list.at); m.list.at-m.list.top != want {
			t.Errorf("the selection went from line %d to %d", want, m.list.at-m.list.top)
		}
	}
	if !moved {
		t.Error("no flow moved in the table: this tests nothing")
	}
	// Sorted anew, it is the same flow.
	if m = press(m, "r"); m.list.rows[m.list.at].key() != selected {
		t.Error("turned round, another flow is selected")
	}
}

// A selected row that goes away leaves its place to what is there.
func TestSelectionOutlivesTheFlow(t *testing.T) {
	m, _ := watching(t, 80, 24, 10, 1, Options{})
	m = press(m, "down", "down", "down")
	flows := slices.Clone(m.flows)
	gone := m.list.selected.name
	m.flows = slices.DeleteFunc(flows, func(f *live.Flow) bool { return f.ID == gone })
	if m.arrange(); m.list.at != 2 || m.list.selected.name == gone || m.list.selected != m.list.rows[2].key() {
		t.Errorf("at %d, %v", m.list.at, m.list.selected)
	}
	m.flows = nil
	if m.arrange(); m.list.at != 0 || len(m.list.rows) != 0 {
		t.Errorf("of no flows at %d", m.list.at)
	}
	screen(t, press(m, "enter", "down"))
}

func TestFreeze(t *testing.T) {
	m, src := watching(t, 80, 24, 20, 2, Options{})
	m = press(m, " ")
	before := screen(t, m)
	m = advance(t, m, src)
	if !strings.Contains(before, "FROZEN") || screen(t, m) != before {
		t.Error("the frozen screen moved")
	}
	if m = press(m, "r"); screen(t, m) == before {
		t.Error("the frozen table cannot be sorted")
	}
	if m = press(m, " "); strings.Contains(screen(t, m), "FROZEN") || m.snapshot != m.keeper.Newest() {
		t.Error("the screen stays frozen")
	}
}

func TestFilter(t *testing.T) {
	m, src := watching(t, 80, 24, 40, 2, Options{Filter: containing})
	m = press(m, "/", "a=b")
	if got := screen(t, m); !strings.Contains(got, "no = here\n") || !strings.Contains(got, "\n/ a=b\n") {
		t.Errorf("a wrong filter shows\n%s", got)
	}
	if m = press(m, "enter"); !m.prompt.open {
		t.Error("a wrong filter was taken")
	}
	m = press(m, "backspace", "backspace", "backspace", "ngin")
	m = send(m, tea.PasteMsg{Content: "x\x1b\n"})
	m = press(m, "backspace", "enter")
	if m.prompt.open || m.filter != "nginx" || len(m.list.rows) != 5 {
		t.Errorf("filter %q, %d rows", m.filter, len(m.list.rows))
	}
	m = advance(t, m, src)
	if got := screen(t, m); !strings.Contains(got, "filter: nginx") || strings.Contains(got, "jellyfin") {
		t.Errorf("filtered:\n%s", got)
	}
	if m = press(m, "/", "zzz", "esc"); m.filter != "nginx" {
		t.Errorf("after Esc the filter is %q", m.filter)
	}
	if m = press(m, "/", "zzz", "enter"); !strings.Contains(screen(t, m), "no flow passes the filter") {
		t.Error("an empty table does not say why")
	}
	if m = send(press(m, "/"), tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}); press(m, "enter").list.match != nil {
		t.Error("an empty filter filters")
	}
}

// What would be right stands at the end of an error, which therefore takes two
// lines of a narrow screen, and no more.
func TestLongFault(t *testing.T) {
	m, _ := watching(t, 80, 24, 40, 1, Options{Filter: func(text string) (func(*live.Flow) bool, error) {
		if text == "" {
			return nil, nil
		}
		return nil, errors.New(strings.Repeat("wrong ", 14) + "example " + strings.Repeat("so ", 40))
	}})
	m = press(m, "/", "a")
	got := screen(t, m)
	if fault := m.fault(); len(fault) != mostFault || !strings.Contains(got, "example so") || !strings.Contains(got, "…") {
		t.Errorf("%q\n%s", fault, got)
	}
}

// Of a flow that this host receives, what holds the sender back is not known.
func TestLimitsOfTheFarHost(t *testing.T) {
	m, _ := watching(t, 80, 24, 1, 1, Options{})
	m = press(m, "down", "enter")
	m.page.flow.Limits, m.page.flow.SentLately, m.page.flow.ReceivedLately = live.Limits{}, 0, 1e6
	if got := strings.Join(m.limitLines(), "\n"); !strings.Contains(got, "the far host sends") {
		t.Error(got)
	}
	m.page.flow.SentLately, m.page.flow.ReceivedLately = 1e6, 0
	if got := strings.Join(m.limitLines(), "\n"); !strings.Contains(got, "nothing held the sender back") {
		t.Error(got)
	}
}

func TestFilterFromTheStart(t *testing.T) {
	m, _ := watching(t, 80, 24, 40, 1, Options{Filter: containing, FilterText: "curl"})
	if len(m.list.rows) != 5 {
		t.Errorf("%d rows", len(m.list.rows))
	}
	if _, err := newModel(Options{Filter: containing, FilterText: "="}); err == nil {
		t.Error("a wrong filter is no error")
	}
	if _, err := newModel(Options{FilterText: "curl"}); err == nil {
		t.Error("a filter that nothing reads is no error")
	}
}

// played gives the snapshots of a list.
type played []*live.Snapshot

func (p *played) Next(context.Context) (*live.Snapshot, error) {
	if len(*p) == 0 {
		return nil, io.EOF
	}
	s := (*p)[0]
	*p = (*p)[1:]
	return s, nil
}

// A flow that has closed can be read for as long as its page is open.
func TestClosedFlowStaysReadable(t *testing.T) {
	f := livetest.Flows(1, 1)[0]
	at := func(s int, flows ...live.Flow) *live.Snapshot {
		return &live.Snapshot{Time: livetest.Start.Add(time.Duration(s) * time.Second), Interval: 1, Flows: flows}
	}
	closed := f
	closed.Closed, closed.SentRate = true, 0
	for says, second := range map[string]*live.Snapshot{"CLOSED": at(1, closed), "NOT LISTED ANY MORE": at(1)} {
		m, _ := watching(t, 80, 40, 0, 0, Options{})
		src := played{at(0, f), second, at(700), at(701)}
		m = advance(t, m, &src)
		m = press(m, "enter")
		for range 3 {
			m = advance(t, m, &src)
		}
		if got := screen(t, m); !strings.Contains(got, says) || !strings.Contains(got, "jellyfin") || !strings.Contains(got, "▁") && !strings.Contains(got, "█") {
			t.Errorf("%s: its page is\n%s", says, got)
		}
		m = press(advance(t, m, &src), "esc") // after the source's end
		if !strings.Contains(screen(t, m), "ENDED") {
			t.Error("the end of the source is not said")
		}
	}
}

func TestSourceFails(t *testing.T) {
	m, _ := watching(t, 80, 24, 3, 1, Options{})
	broken := errors.New("netlink: no buffer space")
	next, cmd := m.Update(snapshotMsg{err: broken})
	if cmd == nil || cmd() != (tea.QuitMsg{}) || !errors.Is(next.(model).err, broken) {
		t.Error("a source that fails does not end the view")
	}
}

func TestNotesAndLostEvents(t *testing.T) {
	m, _ := watching(t, 80, 24, 0, 0, Options{})
	src := played{{Time: livetest.Start, Interval: 1, LostEvents: 3, Notes: []string{"owners of other users' flows need root", "b\x1b[2J", "c"}}}
	m = advance(t, m, &src)
	got := screen(t, m)
	for _, want := range []string{"3 ends of flows lost", "note: owners of other users' flows need root", "and 2 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := screen(t, press(m, "?")); !strings.Contains(got, "note: c") {
		t.Errorf("the help lacks a note:\n%s", got)
	}
}

// tape is one that a test holds in its hands.
type tape struct {
	at, length time.Duration
	paused     bool
	speed      float64
}

func (p *tape) Position() (at, length time.Duration) { return p.at, p.length }
func (p *tape) Seek(to time.Duration)                { p.at = min(max(to, 0), p.length) }
func (p *tape) Pause(on bool)                        { p.paused = on }
func (p *tape) Paused() bool                         { return p.paused }
func (p *tape) SetSpeed(v float64)                   { p.speed = v }
func (p *tape) Speed() float64                       { return p.speed }

func TestTape(t *testing.T) {
	p := &tape{at: 5 * time.Minute, length: time.Hour, speed: 1}
	m, _ := watching(t, 120, 24, 5, 2, Options{Tape: p})
	m = press(m, "p", "[", "}", "+", "=", "+")
	if !p.paused || p.at != 5*time.Minute-10*time.Second+time.Minute || p.speed != 8 {
		t.Errorf("the tape is %+v", p)
	}
	if got := screen(t, m); !strings.Contains(got, "recording paused  05:50 of 1:00:00  ×8") {
		t.Errorf("the screen does not say so:\n%s", got)
	}
	for range 20 {
		m = press(m, "-")
	}
	if press(m, "0", "p"); p.speed != slowest || p.at != 0 || p.paused {
		t.Errorf("the tape is %+v", p)
	}
	p.speed, p.at = 0, p.length
	if got := screen(t, m); !strings.Contains(got, "recording at its end  1:00:00 of 1:00:00  by") {
		t.Errorf("the end is not said:\n%s", got)
	}
	if press(m, "-"); p.speed != fastest {
		t.Errorf("from as fast as it is read to ×%v", p.speed)
	}
	m, _ = watching(t, 80, 24, 5, 2, Options{})
	if got := screen(t, press(m, "p")); !strings.Contains(got, "this is no recording") {
		t.Errorf("a key that does nothing says nothing:\n%s", got)
	}
}

func TestSort(t *testing.T) {
	m, _ := watching(t, 80, 24, 40, 2, Options{})
	for range len(table.Columns) {
		m = press(m, ">")
		flows := make([]*live.Flow, len(m.list.rows))
		for i, r := range m.list.rows {
			flows[i] = r.flow
		}
		want := slices.Clone(flows)
		m.list.order.Sort(want)
		if !slices.Equal(flows, want) {
			t.Errorf("not sorted by %s", m.list.order.Column.Key)
		}
		if got := screen(t, m); !strings.ContainsAny(strings.Split(got, "\n")[3], "▲▼") {
			t.Errorf("sorted by %s, the column is not shown:\n%s", m.list.order.Column.Key, got)
		}
	}
	if m.list.order.Reversed || m.list.order.Column.Key != "rate" {
		t.Errorf("once round leads to %s", m.list.order.Column.Key)
	}
}
