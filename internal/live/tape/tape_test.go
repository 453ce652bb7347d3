package tape

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/live/livetest"
	"unchoke/internal/report/rendertest"
)

// recorded writes snapshots.
func recorded(t testing.TB, snaps []*live.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Info{Host: "near", Filter: "dport = 80", Interval: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range snaps {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func made(t testing.TB, flows, snapshots int) []*live.Snapshot {
	t.Helper()
	src := livetest.NewSource(flows, 7)
	var out []*live.Snapshot
	for i := range snapshots {
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i%10 == 3 {
			s.Notes, s.LostEvents, s.Short = []string{"owners of other users are root's to read"}, int64(i), 2
		}
		out = append(out, s)
	}
	return out
}

func open(t testing.TB, b []byte) *Reader {
	t.Helper()
	r, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func all(t testing.TB, r *Reader) (out []*live.Snapshot) {
	t.Helper()
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
}

// same compares a snapshot with what was recorded of it, as far as a recording
// keeps it.
func same(t testing.TB, got, want *live.Snapshot) {
	t.Helper()
	a, b := *got, *want
	a.Flows, b.Flows = nil, nil
	if !a.Time.Equal(b.Time) {
		t.Fatalf("time %v, want %v", a.Time, b.Time)
	}
	a.Time, b.Time = time.Time{}, time.Time{}
	if !reflect.DeepEqual(a, b) || len(got.Flows) != len(want.Flows) {
		t.Fatalf("%+v with %d flows, want %+v with %d", a, len(got.Flows), b, len(want.Flows))
	}
	for i := range want.Flows {
		x, y := reflect.ValueOf(&got.Flows[i]).Elem(), reflect.ValueOf(&want.Flows[i]).Elem()
		for _, f := range fields {
			g, w := x.FieldByIndex(f.index), y.FieldByIndex(f.index)
			ok := g.Equal(w)
			switch f.Kind {
			case figure:
				ok = math.Abs(g.Float()-w.Float()) <= 5e-6*math.Abs(w.Float())
			case since:
				ok = math.Abs(g.Float()-w.Float()) <= 0.0115
			}
			if !ok {
				t.Fatalf("flow %d: %s is %v, want %v", i, f.Key, g, w)
			}
		}
		if f := got.Flows[i]; f.Verdict != "" || f.Summary != "" || f.Evidence != nil {
			t.Fatalf("a verdict was recorded: %+v", f)
		}
	}
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	for _, c := range []struct{ flows, snapshots int }{{0, 3}, {1, 200}, {60, 150}, {1000, 15}} {
		snaps := made(t, c.flows, c.snapshots)
		if c.flows == 0 {
			for _, s := range snaps {
				s.Flows = []live.Flow{}
			}
		}
		r := open(t, recorded(t, snaps))
		if r.Info() != (Info{Host: "near", Filter: "dport = 80", Interval: 1}) || r.Fault() != nil {
			t.Errorf("%+v, %v", r.Info(), r.Fault())
		}
		if want := snaps[len(snaps)-1].Time.Sub(snaps[0].Time); r.Length() != want || !r.Start().Equal(snaps[0].Time) {
			t.Errorf("from %v, %v long, want %v", r.Start(), r.Length(), want)
		}
		got := all(t, r)
		if len(got) != len(snaps) {
			t.Fatalf("%d snapshots of %d", len(got), len(snaps))
		}
		for i := range got {
			same(t, got[i], snaps[i])
		}
	}
}

// Every field of a flow is recorded but those of its verdict.
func TestEveryFieldIsRecorded(t *testing.T) {
	var f live.Flow
	rendertest.Fill(&f, "text", nil)
	f.Local, f.Remote = netip.MustParseAddrPort("192.0.2.1:1"), netip.MustParseAddrPort("[2001:db8::1%eth0]:2")
	s := &live.Snapshot{Time: livetest.Start, Flows: []live.Flow{f}}
	got := all(t, open(t, recorded(t, []*live.Snapshot{s})))[0].Flows[0]
	f.Verdict, f.Confidence, f.Summary, f.Evidence, f.Warnings, f.Advice, f.Next = "", 0, "", nil, nil, "", ""
	if !reflect.DeepEqual(got, f) {
		t.Errorf("got %+v\nwant %+v", got, f)
	}
	text, err := json.Marshal(live.Flow{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range fields {
		if key, _, _ := strings.Cut(x.Key, "."); strings.Contains(string(text), `"`+key+`"`) == false && !slices.Contains(omitted(), key) {
			t.Errorf("%s is no key of a flow", x.Key)
		}
	}
}

// omitted are keys that JSON leaves out of an empty flow.
func omitted() (out []string) {
	for f := range reflect.TypeFor[live.Flow]().Fields() {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if strings.Contains(options, "omit") {
			out = append(out, key)
		}
	}
	return out
}

func TestSeek(t *testing.T) {
	snaps := made(t, 20, 300)
	r := open(t, recorded(t, snaps))
	if len(r.frames) < 3 {
		t.Fatalf("%d frames", len(r.frames))
	}
	for _, to := range []float64{0, 0.5, 17, 150.2, 299, 1e6, 42, -5} {
		r.Seek(time.Duration(to * float64(time.Second)))
		want := int(min(max(to, 0), 299))
		for i := want; i < min(want+3, 300); i++ {
			s, err := r.Next()
			if err != nil {
				t.Fatalf("to %v: %v", to, err)
			}
			same(t, s, snaps[i])
		}
	}
	if got := all(t, r); len(got) != 297 {
		t.Errorf("%d snapshots after the first three", len(got))
	}
}

// Cut anywhere, a recording gives snapshots as they were as far as it goes, and
// says that it was cut off.
func TestCutOff(t *testing.T) {
	snaps := made(t, 5, 100)
	whole := recorded(t, snaps)
	begin := len(whole) - len(whole[bytes.IndexByte(whole, '\n')+1:]) + headSize + int(binary.BigEndian.Uint32(whole[bytes.IndexByte(whole, '\n')+1+13:]))
	most := 0
	for n := begin; n < len(whole); n += 1 + len(whole)/100 {
		r := open(t, whole[:n])
		got := all(t, r)
		if r.Fault() == nil || !strings.Contains(r.Fault().Error(), "cut off") {
			t.Fatalf("cut to %d bytes: fault %v", n, r.Fault())
		}
		if len(got) < most {
			t.Fatalf("cut to %d bytes: %d snapshots, fewer than of less", n, len(got))
		}
		most = len(got)
		for i := range got {
			same(t, got[i], snaps[i])
		}
	}
	if most < 90 {
		t.Errorf("%d snapshots at most", most)
	}
	for n := 0; n < begin; n += 7 {
		if _, err := Open(bytes.NewReader(whole[:n]), int64(n)); err == nil {
			t.Errorf("cut to %d bytes: no error", n)
		}
	}
}

func TestRefusals(t *testing.T) {
	whole := recorded(t, made(t, 3, 5))
	_, rest, _ := bytes.Cut(whole, []byte("\n"))
	for name, b := range map[string][]byte{
		"empty": nil, "text": []byte("hello\n"), "JSON": []byte(`{"schema": "unchoke.watch/1"}`), "a title alone": []byte(titleLine + "1\n"), "format 0": append([]byte(titleLine+"0\n"), rest...),
	} {
		if _, err := Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, ErrNotRecording) {
			t.Errorf("%s: %v", name, err)
		}
	}
	newer := append([]byte(titleLine+"2\n"), rest...)
	_, err := Open(bytes.NewReader(newer), int64(len(newer)))
	if n, is := errors.AsType[*NewerError](err); !is || n.Format != 2 || n.Hint() == "" {
		t.Errorf("a newer format: %v", err)
	}
}

// What is damaged in the midst is an error at its place, after what stands
// before it.
func TestDamaged(t *testing.T) {
	snaps := made(t, 20, 200)
	whole := recorded(t, snaps)
	r := open(t, whole)
	at := r.frames[1].at
	for name, change := range map[string]func(b []byte){
		"packed data": func(b []byte) { b[at+30] ^= 0xff },
		"a head":      func(b []byte) { b[at-headSize] = 'x' },
	} {
		b := slices.Clone(whole)
		change(b)
		r := open(t, b)
		n := 0
		var err error
		for ; err == nil; n++ {
			var s *live.Snapshot
			if s, err = r.Next(); err == nil && n < 10 {
				same(t, s, snaps[n])
			}
		}
		if errors.Is(err, io.EOF) {
			err = r.Fault()
		}
		if d, is := errors.AsType[*DamagedError](err); !is || d.At < at-headSize || d.At > at+30 || n < 10 || n > 150 {
			t.Errorf("%s: %v after %d snapshots", name, err, n-1)
		}
	}
}

// Who seeks to what is damaged is told so: behind what can be read of it, and not of
// what lies elsewhere.
func TestSeekDamaged(t *testing.T) {
	snaps := made(t, 20, 200)
	whole := recorded(t, snaps)
	frames := open(t, whole).frames
	for name, damage := range map[string]int64{"at its head": 1, "in its midst": frames[1].length / 2} {
		b := slices.Clone(whole)
		b[frames[1].at+damage] ^= 0xff
		r := open(t, b)
		r.Seek(frames[1].time.Sub(r.Start()) + 5*time.Second)
		var err error
		n := 0
		for ; err == nil; n++ {
			_, err = r.Next()
		}
		if d, is := errors.AsType[*DamagedError](err); !is || d.At != frames[1].at {
			t.Errorf("%s: %v after %d snapshots", name, err, n-1)
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s, and behind it: %v", name, err)
		}
		for _, whole := range []frame{frames[0], frames[2]} {
			r.Seek(frames[1].time.Sub(r.Start()) + 5*time.Second)
			r.Seek(whole.time.Sub(r.Start()))
			if s, err := r.Next(); err != nil || !s.Time.Equal(whole.time) {
				t.Errorf("%s, and what lies elsewhere: %v", name, err)
			}
		}
	}
}

// A snapshot that claims more flows than any host has is broken, before they take
// the memory.
func TestMostFlows(t *testing.T) {
	snapshot := []byte{2, '{', '}'}
	const flows = 1 << 17
	snapshot = binary.AppendUvarint(snapshot, flows)
	snapshot = append(snapshot, make([]byte, 2*flows)...) // new ones, without a field
	if _, err := newDecoder(bytes.NewReader(snapshot), fields).snapshot(); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	var e encoder
	e.begin()
	if err := e.snapshot(&live.Snapshot{Flows: make([]live.Flow, flows)}); err == nil {
		t.Error("one was recorded that is not read")
	}
}

// A recording of a version with other fields is read: ones that are not known
// here are passed over, ones that it lacks are 0.
func TestOtherFields(t *testing.T) {
	ours := fields
	defer func() { fields = ours }()
	fields = slices.DeleteFunc(slices.Clone(ours), func(f field) bool { return f.Key == "cc" || f.Key == "rtt_s" || f.Key == "age_s" })
	for i, x := range []field{{"colour", text, nil}, {"weight", figure, nil}, {"count", integer, nil}, {"ripe", boolean, nil}, {"picked_s", since, nil}} {
		like := ours[slices.IndexFunc(ours, func(f field) bool { return f.Kind == x.Kind })]
		x.index = like.index
		fields = slices.Insert(fields, 3*i, x)
	}
	snaps := made(t, 10, 20)
	b := recorded(t, snaps)
	fields = ours
	for i, s := range all(t, open(t, b)) {
		for j, f := range s.Flows {
			w := snaps[i].Flows[j]
			if f.ID != w.ID || f.CC != "" || f.RTT != 0 || f.Age != 0 || f.Remote != w.Remote || f.Sent != w.Sent || math.Abs(f.Idle-w.Idle) > 0.012 || f.Cwnd != w.Cwnd {
				t.Fatalf("%+v, want %+v", f, w)
			}
		}
	}
}

func TestDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	values := []float64{0, 1, -1, 0.05, 1e-300, 1.7e308, 5e-324, 123456, 1234567, 0.1 + 0.2, math.Inf(1), math.Inf(-1)}
	for range 10000 {
		values = append(values, (r.Float64()-0.5)*math.Pow(10, float64(r.IntN(40)-20)))
	}
	for _, v := range values {
		got := value(decimal(v))
		want := v
		if !math.IsInf(v, 0) {
			fmt.Sscan(fmt.Sprintf("%.5e", v), &want)
		}
		if got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
	if !math.IsNaN(value(decimal(math.NaN()))) {
		t.Error("NaN is a number")
	}
}

// A minute of 10,000 flows of which 500 send: what a recording takes.
func BenchmarkWrite(b *testing.B) {
	flows := livetest.NewSource(500, 1)
	idle := livetest.Flows(9500, 2)
	for i := range idle {
		idle[i].ID = fmt.Sprintf("f%x", i)
	}
	var snaps []*live.Snapshot
	for range 60 {
		s, err := flows.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for i := range idle {
			idle[i].Age++
			idle[i].Idle++
		}
		s.Flows = append(s.Flows, idle...)
		snaps = append(snaps, s)
	}
	for b.Loop() {
		whole := recorded(b, snaps)
		b.ReportMetric(float64(len(whole))/60, "B/snapshot")
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/60*1e3, "ms/snapshot")
}

func FuzzRead(f *testing.F) {
	small := recorded(f, made(f, 2, 4))
	f.Add(small)
	f.Add(small[:len(small)-30])
	f.Add([]byte(titleLine + "1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for range 1000 {
			if _, err := r.Next(); err != nil {
				break
			}
		}
		r.Seek(r.Length() / 2)
		_, _ = r.Next()
	})
}

// FuzzFrame feeds what stands in a frame, unpacked.
func FuzzFrame(f *testing.F) {
	var e encoder
	e.begin()
	for _, s := range made(f, 3, 3) {
		if err := e.snapshot(s); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(slices.Clone(e.out))
	f.Fuzz(func(t *testing.T, b []byte) {
		d := newDecoder(bytes.NewReader(b), fields)
		for range 1000 {
			if _, err := d.snapshot(); err != nil {
				return
			}
		}
	})
}
