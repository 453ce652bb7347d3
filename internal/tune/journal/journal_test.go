package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/ledger"
)

// life is a journal from the first round to the last undone.
var life = []Event{
	{Kind: Began, Begin: &Begin{ID: "a", Boot: "1", Changes: []tune.Change{
		{Kind: tune.Sysctl, Key: "net.ipv4.tcp_congestion_control", When: tune.Now, Old: new("cubic"), New: new("bbr")},
		{Kind: tune.Qdisc, Key: "eth0", When: tune.Now, Old: tune.Encode(tune.QdiscValue{Kind: "mq", Handle: "0:"}), New: tune.Encode(tune.QdiscValue{Kind: "fq"})},
		{Kind: tune.File, Key: "/etc/modules-load.d/unchoke.conf", When: tune.Boot, New: tune.Encode(tune.FileValue{Content: []byte("tcp_bbr\n"), Mode: 0o644})},
	}}},
	{Kind: Armed, Timer: &Timer{Unit: "unchoke-revert-a"}},
	{Kind: Wrote, Step: 0, Value: new("bbr")},
	{Kind: Parted, Step: 1, Boot: "1", Before: &tune.QdiscValue{Kind: "mq", Handle: "0:"}, After: &tune.QdiscValue{Kind: "fq"}},
	{Kind: Wrote, Step: 1},
	{Kind: WasTried},
	{Kind: Persist},
	{Kind: Wrote, Step: 2},
	{Kind: WasKept},
	{Kind: BeganUndo, To: 0, Reason: "asked for"},
	{Kind: Undone, Step: 2},
	{Kind: Parted, Step: 1, Boot: "2", Before: &tune.QdiscValue{Kind: "fq", Handle: "8001:"}, After: &tune.QdiscValue{Handle: "0:"}},
	{Kind: Lent, Boot: "2", Key: "net.core.default_qdisc", Value: new("fq"), New: new("pfifo_fast")},
	{Kind: Returned, Key: "net.core.default_qdisc"},
	{Kind: Undone, Step: 1, Boot: "2"},
	{Kind: Undone, Step: 0},
	{Kind: Closed},
}

func lines(t testing.TB, events []Event) []byte {
	t.Helper()
	var b []byte
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

func TestPhases(t *testing.T) {
	want := []Phase{
		Idle, Trying, Trying, Trying, Trying, Trying, Tried, Persisting, Persisting, Kept,
		Undoing, Undoing, Undoing, Undoing, Undoing, Undoing, Undoing, Idle,
	}
	for n, phase := range want {
		s, _, err := parse(lines(t, life[:n]))
		if err != nil || s.Phase != phase {
			t.Errorf("after %d events %s, %v, want %s", n, s.Phase, err, phase)
		}
	}
}

// Earlier versions left a route's TOS out of its key. Its old value tells it.
func TestRouteOfEarlierVersion(t *testing.T) {
	route := func(tos byte, key string) tune.Change {
		old := tune.RouteValue{Message: []byte{2, 10, 0, tos, 254}}
		return tune.Change{Kind: tune.Route, Key: key, When: tune.Now, Old: tune.Encode(old), New: tune.Encode(tune.RouteValue{CC: "bbr"})}
	}
	const key = "100.64.0.0/10 dev wg0 table 254 metric 0"
	s, _, err := parse(lines(t, []Event{{Kind: Began, Begin: &Begin{ID: "a", Boot: "1", Changes: []tune.Change{
		route(16, key), route(0, key), route(8, key+" tos 8"),
	}}}}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{key + " tos 16", key, key + " tos 8"} {
		if got := s.Steps[i].Key; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A part counts from its own line until its step is made or undone, and a step of
// another kind has none.
func TestParts(t *testing.T) {
	for n, want := range map[int]*Part{
		3: nil, 5: nil, 11: nil, 15: nil,
		4:  {"1", tune.QdiscValue{Kind: "mq", Handle: "0:"}, tune.QdiscValue{Kind: "fq"}},
		12: {"2", tune.QdiscValue{Kind: "fq", Handle: "8001:"}, tune.QdiscValue{Handle: "0:"}},
		13: {"2", tune.QdiscValue{Kind: "fq", Handle: "8001:"}, tune.QdiscValue{Handle: "0:"}},
	} {
		s, _, err := parse(lines(t, life[:n]))
		if err != nil || !reflect.DeepEqual(s.Steps[1].Part, want) {
			t.Errorf("after %d events %+v, %v, want %+v", n, s.Steps[1].Part, err, want)
		}
	}
	for step, ok := range map[int]bool{0: false, 1: true, 2: false, 3: false} {
		part := Event{Kind: Parted, Step: step, Before: &tune.QdiscValue{}, After: &tune.QdiscValue{}}
		_, _, err := parse(lines(t, append(append([]Event(nil), life[:2]...), part, Event{Kind: WasTried})))
		if (err == nil) != ok {
			t.Errorf("a part of step %d: %v", step, err)
		}
	}
}

// Cut anywhere, a journal tells what its whole lines tell.
func TestTorn(t *testing.T) {
	all := lines(t, life)
	for n := range all {
		whole := bytes.LastIndexByte(all[:n], '\n') + 1
		want, _, err := parse(all[:whole])
		if err != nil {
			t.Fatal(err)
		}
		got, size, err := parse(all[:n])
		if err != nil || size != whole || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut to %d bytes: %+v, %d, %v", n, got, size, err)
		}
	}
	// A disk may have the line's place and not its content.
	if _, size, err := parse(append(bytes.Clone(all), make([]byte, 64)...)); err != nil || size != len(all) {
		t.Errorf("zeros after the end: %d, %v", size, err)
	}
}

// What no run of this program wrote is an error, not a guess.
func TestCorrupt(t *testing.T) {
	all := lines(t, life)
	var corrupt *ledger.CorruptError
	bad := bytes.Replace(all, []byte(`"event":"wrote"`), []byte(`"event":"wr0te"`), 1)
	if _, _, err := parse(bad); !errors.As(err, &corrupt) || corrupt.Line != 3 {
		t.Errorf("%v", err)
	}
	for drop, e := range life {
		rest := append(append([]Event(nil), life[:drop]...), life[drop+1:]...)
		_, _, err := parse(lines(t, rest))
		switch e.Kind {
		case Began, WasTried, BeganUndo, Lent:
			if err == nil {
				t.Errorf("without its %q it is still a journal", e.Kind)
			}
		}
	}
}

func TestWriteAndOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tune")
	for n, e := range life {
		j, err := Open(disk.OS{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Write(e); err != nil {
			t.Fatalf("event %d: %v", n, err)
		}
		// A crash in the next line.
		f, err := os.OpenFile(filepath.Join(dir, current), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"event":"wr`); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, current)); err != nil || !bytes.HasPrefix(b, lines(t, life)) {
		t.Errorf("%s, %v", b, err)
	}
	// The next round begins a new file and keeps this one.
	j, err := Open(disk.OS{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Write(life[0]); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, previous)); err != nil || !bytes.HasPrefix(b, lines(t, life)) {
		t.Errorf("%s, %v", b, err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != dirMode {
		t.Errorf("%v, %v: others may read old files", st.Mode(), err)
	}
}

func FuzzParse(f *testing.F) {
	all := lines(f, life)
	f.Add(all)
	f.Add(all[:len(all)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		s, size, err := parse(b)
		if size > len(b) || err == nil && (s.Mark > len(s.Steps) || s.UndoTo > len(s.Steps) && s.Phase == Undoing) {
			t.Errorf("%+v, %d, %v", s, size, err)
		}
	})
}
