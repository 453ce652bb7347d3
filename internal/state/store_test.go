package state

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"unchoke/internal/record"
)

func TestSaveAndLoad(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "state", "records")}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("before the first: %v, %v", list, err)
	}
	run := record.New("far:5201", "0.1.0", time.Now())
	run.Started = run.Started.Round(0).UTC() // as it is read back
	run.Warnings = []string{"measured by a test"}
	if err := s.Save(run); err != nil {
		t.Fatal(err)
	}
	if !record.ValidID(run.ID) {
		t.Fatalf("ID %q", run.ID)
	}
	got, err := s.Load(run.ID)
	if err != nil || !reflect.DeepEqual(got, run) {
		t.Errorf("%+v, %v, want %+v", got, err, run)
	}
	list, err := s.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	info, err := os.Stat(s.path(run.ID))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Summary{ID: run.ID, Command: "check", Started: run.Started, Version: "0.1.0", Target: "far:5201", Size: info.Size()}); list[0] != want {
		t.Errorf("%+v, want %+v", list[0], want)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// A record that could not be saved has no ID to show it by; one that was saved
// before keeps its own.
func TestSaveFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Store{filepath.Join(file, "records")}
	run := record.New("far:5201", "test", time.Now())
	if err := s.Save(run); err == nil || run.ID != "" {
		t.Errorf("%v, ID %q", err, run.ID)
	}
	const id = "20261120-131207-3fa91c"
	run.ID = id
	if err := s.Save(run); err == nil || run.ID != id {
		t.Errorf("%v, ID %q", err, run.ID)
	}
}

func TestSaveComparison(t *testing.T) {
	s := Store{t.TempDir()}
	c := record.NewComparison("far", "0.1.0", time.Now())
	c.Started = c.Started.Round(0).UTC()
	c.Arms = []record.Arm{{Name: "cc=cubic", CC: "cubic"}, {Name: "cc=bbr", CC: "bbr"}}
	if err := s.Save(c); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(c.ID)
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("%+v, %v, want %+v", got, err, c)
	}
	list, err := s.List()
	if err != nil || len(list) != 1 || list[0].Command != "ab" || list[0].Target != "far" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	s := Store{t.TempDir()}
	for _, id := range []string{"", "nosuch", "../20261120-131207-3fa91c", "20261120-131207-3fa91c"} {
		if _, err := s.Load(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Load(%q): %v", id, err)
		}
	}
	if err := s.Save(&record.Run{ID: "../../etc/cron.d/x"}); err == nil {
		t.Error("saved under an ID that leaves the store")
	}
}

// What is no record, or no whole one, is listed as such and harms no other.
func TestListWithGarbage(t *testing.T) {
	s := Store{t.TempDir()}
	good := record.New("far:5201", "0.1.0", time.Now())
	if err := s.Save(good); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.path(good.ID))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"20260101-000000-000001.json.gz": whole[:20],
		"20260101-000000-000002.json.gz": []byte("garbage"),
		"20260101-000000-000003.json.gz": []byte(`{"schema": "unchoke.record/1"`),
		"20260101-000000-000004.json.gz": []byte(`["no object"]`),
		"notes.json.gz":                  nil,
		"README":                         nil,
	} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.List()
	if err != nil || len(list) != 5 || list[0].ID != good.ID || list[0].Error != "" {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, sum := range list[1:] {
		if sum.Error == "" {
			t.Errorf("%s: garbage, listed as %+v", sum.ID, sum)
		}
	}
}

// A record that is cut short anywhere is listed as such, with what its head
// says, and cannot be loaded; the same of records that do not tell their length.
func TestListCutShort(t *testing.T) {
	s := Store{t.TempDir()}
	run := record.New("far:5201", "0.1.0", time.Now())
	run.Warnings = strings.Split(strings.Repeat("a warning that fills the file,", 300), ",")
	if err := s.Save(run); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(s.path(run.ID))
	if err != nil {
		t.Fatal(err)
	}
	var text, old bytes.Buffer
	if err := json.NewEncoder(&text).Encode(run); err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(&old)
	w.Write(text.Bytes())
	w.Close()
	for form, b := range map[string][]byte{"packed": packed, "of an earlier unchoke": old.Bytes(), "unpacked": text.Bytes()} {
		if err := os.WriteFile(s.path(run.ID), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := s.List(); err != nil || len(list) != 1 || list[0].Error != "" {
			t.Errorf("%s, whole: %+v, %v", form, list, err)
		}
		for _, n := range []int{1, 3, 8, len(b) / 2, len(b) - len(b)/4} {
			if err := os.WriteFile(s.path(run.ID), b[:len(b)-n], 0o600); err != nil {
				t.Fatal(err)
			}
			_, loadErr := s.Load(run.ID)
			if form == "unpacked" && n == 1 { // without its last line's end
				continue
			}
			if list, err := s.List(); err != nil || len(list) != 1 || list[0].Error != "the file is cut short" {
				t.Errorf("%s, %d bytes short: %+v, %v", form, n, list, err)
			} else if n < len(b)/4 && (list[0].Command != "check" || list[0].Target != "far:5201") {
				t.Errorf("%s, %d bytes short: of the head, %+v", form, n, list[0])
			}
			if !errors.Is(loadErr, record.ErrDamaged) {
				t.Errorf("%s, %d bytes short: loaded with %v", form, n, loadErr)
			}
		}
	}
}

func TestPruneKeepsNewest(t *testing.T) {
	s := Store{t.TempDir()}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var want []string
	for i := range Keep + 3 {
		id := start.Add(time.Duration(i)*time.Hour).Format("20060102-150405-") + fmt.Sprintf("%06x", i)
		want = append(want, id)
		if err := os.WriteFile(s.path(id), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(s.Dir, "mine.json.gz")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	newest := record.New("far", "0.1.0", time.Now())
	if err := s.Save(newest); err != nil {
		t.Fatal(err)
	}
	want = append(want, newest.ID)
	slices.Reverse(want)
	got, err := s.IDs()
	if err != nil || !slices.Equal(got, want[:Keep]) {
		t.Errorf("kept %d, %v, want the newest %d", len(got), err, Keep)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file that is no record: %v", err)
	}
}

// A record that another host measured is named by this host's clock, however wrong
// that host's is, and tells when that host says it began.
func TestSaveOfAnotherClock(t *testing.T) {
	s := Store{t.TempDir()}
	for _, started := range []time.Time{time.Unix(0, 0).UTC(), time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)} {
		before := NewID(time.Now())[:len("20060102-150405")]
		run := record.New("far", "0.1.0", started)
		if err := s.Save(run); err != nil {
			t.Fatal(err)
		}
		if after := NewID(time.Now().Add(time.Second)); run.ID < before || run.ID > after {
			t.Errorf("a record of %v is named %s", started, run.ID)
		}
		if d, err := s.Load(run.ID); err != nil || !d.Head().Started.Equal(started) {
			t.Errorf("began %v: %+v, %v", started, d, err)
		}
	}
}

// What was just saved stays, also where this host's clock was set back.
func TestPruneKeepsWhatWasSaved(t *testing.T) {
	s := Store{t.TempDir()}
	for i := range Keep {
		if err := os.WriteFile(s.path(fmt.Sprintf("20990101-000000-%06x", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var last *record.Run
	for range 2 {
		last = record.New("far", "0.1.0", time.Now())
		if err := s.Save(last); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(last.ID); err != nil {
			t.Error(err)
		}
	}
	if ids, err := s.IDs(); err != nil || len(ids) != Keep+1 {
		t.Errorf("%d records, %v", len(ids), err)
	}
}

func TestDefaultStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the places are those of Unix")
	}
	for _, c := range []struct{ own, xdg, home, want string }{
		{"/own", "/xdg", "/home/u", "/own/records"},
		{"", "/xdg", "/home/u", "/xdg/unchoke/records"},
		{"", "", "/home/u", "/home/u/.local/state/unchoke/records"},
		{"", "relative", "/home/u", "/home/u/.local/state/unchoke/records"},
		{"", "", "", ""},
	} {
		t.Setenv("UNCHOKE_STATE_DIR", c.own)
		t.Setenv("XDG_STATE_HOME", c.xdg)
		t.Setenv("HOME", c.home)
		s, err := DefaultStore()
		if s.Dir != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v", c, s.Dir, err)
		}
	}
}

func TestIDs(t *testing.T) {
	early := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)
	// Later, though its wall clock shows an earlier hour.
	late := early.Add(time.Minute).In(time.FixedZone("", -5*3600))
	a, b := NewID(early), NewID(late)
	if !record.ValidID(a) || !record.ValidID(b) || a >= b || !strings.HasPrefix(a, "20261120-233000-") {
		t.Errorf("%s, %s", a, b)
	}
	if NewID(early) == a {
		t.Error("two IDs of one second are equal")
	}
}
