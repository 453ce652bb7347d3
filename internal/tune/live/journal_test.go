package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/ledger"
	"unchoke/internal/tune/outcome"
)

var here = place{"boot", 7}

var life = []event{
	{Kind: "begin", Where: here, CC: "bbr", Mod: "tcp_bbr", Flows: []entry{{ID: "1", Old: "cubic"}, {ID: "2", Old: "reno"}}},
	{Kind: "end", IDs: []string{"2"}},
	{Kind: "begin", Where: here, CC: "reno", Flows: []entry{{ID: "1", Old: "bbr"}, {ID: "3", Old: "cubic"}}},
	{Kind: "end", IDs: []string{"1"}},
	{Kind: "undone", IDs: []string{"1", "3"}},
}

func lines(t testing.TB) []byte {
	t.Helper()
	var b []byte
	for _, e := range life {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

func TestParse(t *testing.T) {
	all := bytes.SplitAfter(lines(t), []byte{'\n'})
	for n, want := range []map[string]string{
		{}, {"1": "bbr", "2": "bbr"}, {"1": "bbr"}, {"1": "reno", "3": "reno"}, {"1": "bbr", "3": "reno"}, {},
	} {
		s, _, err := parse(bytes.Join(all[:n], nil))
		got := map[string]string{}
		for _, f := range s.flows {
			got[f.ID] = f.cc
			if f.ID == "1" && f.Old != "cubic" {
				t.Errorf("after %d events its old algorithm is %s", n, f.Old)
			}
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("after %d events %v, %v, want %v", n, got, err, want)
		}
		if loaded := len(s.modules) > 0; loaded != (n > 0 && n < 5) {
			t.Errorf("after %d events the modules are %v", n, s.modules)
		}
	}
}

// Cut anywhere, it tells what its whole lines tell; what no run wrote is an error.
func TestTornAndCorrupt(t *testing.T) {
	all := lines(t)
	for n := range all {
		whole := bytes.LastIndexByte(all[:n], '\n') + 1
		want, _, _ := parse(all[:whole])
		got, size, err := parse(all[:n])
		if err != nil || size != whole || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut to %d bytes: %+v, %d, %v", n, got, size, err)
		}
	}
	for old, bad := range map[string]string{`"event":"end"`: `"event":"and"`, `"cc":"bbr"`: `"cc":"b;r"`, `"old_cc":"reno"`: `"old_cc":""`} {
		_, _, err := parse(bytes.Replace(all, []byte(old), []byte(bad), 1))
		if _, ok := errors.AsType[*ledger.CorruptError](err); !ok {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// What was changed before a reboot, or in another network namespace, is not
// looked for here; the file does not grow for ever.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	open := func(boot string, netns uint64) *Journal {
		j, err := Open(disk.OS{}, dir, boot, netns)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	begin := func(j *Journal, id string) {
		if err := j.Begin([]*outcome.LiveFlow{{ID: id, Old: "cubic"}}, "bbr", "", time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	begin(open("one", 7), "1")
	// A crash in the next line.
	file := filepath.Join(dir, journal.Live)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"event":"e`); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	begin(open("one", 8), "2")
	if flows, elsewhere := open("one", 7).Standing(); len(flows) != 1 || flows[0].ID != "1" || elsewhere != 1 {
		t.Errorf("%v, %d", flows, elsewhere)
	}
	if flows, elsewhere := open("two", 7).Standing(); len(flows) != 0 || elsewhere != 0 {
		t.Errorf("after a reboot %v, %d", flows, elsewhere)
	}
	begin(open("two", 7), "3")
	if b, err := os.ReadFile(file); err != nil || bytes.Count(b, []byte{'\n'}) != 1 {
		t.Errorf("%s, %v", b, err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(disk.OS{}, dir, "two", 7); err == nil {
		t.Error("a file that others may write is believed")
	}
}

// A module that was loaded is known until it is unloaded, or until the next boot.
func TestLoads(t *testing.T) {
	dir := privateDir(t)
	open := func(boot string) *Journal {
		j, err := Open(disk.OS{}, dir, boot, 7)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	if err := open("one").Load("tcp_bbr", time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got := open("two").Loads(); got != nil {
		t.Errorf("after a reboot %v", got)
	}
	if got := open("one").Loads(); !reflect.DeepEqual(got, []string{"tcp_bbr"}) {
		t.Errorf("%v", got)
	}
	if err := open("one").Unloaded("tcp_bbr", time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got := open("one").Loads(); got != nil {
		t.Errorf("unloaded: %v", got)
	}
}

func FuzzParse(f *testing.F) {
	all := lines(f)
	f.Add(all)
	f.Add(all[:len(all)/2])
	f.Add([]byte(`{"event":"scope","where":{"boot_id":"a","netns":7},"cc":"bbr","unit":{"unit":"web","cgroup":"/web","cgroup_id":4,"program_id":9}}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, size, err := parse(b)
		if size > len(b) {
			t.Errorf("%d of %d bytes", size, len(b))
		}
		for _, o := range s.flows {
			if err == nil && (!algorithm.MatchString(o.Old) || !algorithm.MatchString(o.cc)) {
				t.Errorf("%+v", o)
			}
		}
	})
}

func TestNested(t *testing.T) {
	for text, want := range map[string]bool{
		"         0          0 4294967295\n": false,
		"         0       1000          1\n": true,
		"0 0 65536\n":                        true,
		"0 100000 65536\n1000 1000 1\n":      true,
		"":                                   true,
	} {
		if nested(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
