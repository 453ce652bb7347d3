package record

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

func fixture(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/record-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A record of version 1 stays readable for ever, and nothing of it is lost.
func TestVersion1(t *testing.T) {
	b := fixture(t)
	run, err := Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	for key := range want {
		if !reflect.DeepEqual(got[key], want[key]) {
			t.Errorf("%s: %v, want %v", key, got[key], want[key])
		}
	}
}

func TestWriteThenRead(t *testing.T) {
	run, err := Read(bytes.NewReader(fixture(t)))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := Write(&packed, run); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&packed)
	if err != nil || !reflect.DeepEqual(again, run) {
		t.Errorf("%+v, %v, want %+v", again, err, run)
	}
}

func TestUnknownMembersAreIgnored(t *testing.T) {
	run, err := Read(strings.NewReader(`{"schema": "unchoke.record/1", "target": "far", "colour": {"of": ["the sky"]}}`))
	if err != nil || run.Target != "far" {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestBadRecords(t *testing.T) {
	whole := fixture(t)
	packed := gzipped(t, whole)
	damaged := bytes.Clone(packed)
	damaged[len(damaged)-6] ^= 1 // in the checksum
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil, "empty"},
		{"blank", []byte(" \n"), "empty"},
		{"cut short", whole[:len(whole)/2], "cut short"},
		{"packed, cut short", packed[:len(packed)/2], "cut short"},
		{"packed, header cut short", packed[:5], "cut short"},
		{"packed, damaged", damaged, "damaged"},
		{"garbage", []byte("\x00\x01garbage"), "not a record"},
		{"garbage after it", append(bytes.Clone(whole), '{'), "not a record"},
		{"JSON of no object", []byte(`[1, 2]`), "not a record"},
		{"another schema", []byte(`{"schema": "unchoke.check/1"}`), `"unchoke.check/1"`},
		{"no schema", []byte(`{}`), "not a record"},
		{"no version", []byte(`{"schema": "unchoke.record"}`), "not a record"},
		{"version 0", []byte(`{"schema": "unchoke.record/0"}`), "not a record"},
		{"wrong type", []byte(`{"schema": "unchoke.record/1", "echoes": 7}`), "not a record"},
	} {
		run, err := Read(bytes.NewReader(c.b))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, error %v, want %q in it", c.name, run, err, c.want)
		}
	}
	if _, err := Read(strings.NewReader(`{"schema": "unchoke.record/2"}`)); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer version: %v", err)
	}
}

func TestUpgrade(t *testing.T) {
	steps := map[int]func([]byte) ([]byte, error){
		1: func(b []byte) ([]byte, error) { return append(b, " 1→2"...), nil },
		2: func(b []byte) ([]byte, error) { return append(b, " 2→3"...), nil },
		4: func([]byte) ([]byte, error) { return nil, errors.New("lost") },
	}
	const doc = "{}"
	if b, err := (kind{version: 3, upgrades: steps}).upgrade([]byte(doc), 1); err != nil || string(b) != doc+" 1→2 2→3" {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := (kind{version: 1, upgrades: steps}).upgrade([]byte(doc), 1); err != nil || string(b) != doc {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := (kind{version: 4, upgrades: steps}).upgrade([]byte(doc), 1); err == nil {
		t.Error("a missing step went unnoticed")
	}
	if _, err := (kind{version: 5, upgrades: steps}).upgrade([]byte(doc), 4); err == nil {
		t.Error("a step that failed went unnoticed")
	}
	for _, k := range kinds {
		for v := 1; v < k.version; v++ {
			if k.upgrades[v] == nil {
				t.Errorf("%s: no upgrade from version %d", k.name, v)
			}
		}
	}
	if runs.schema() != Schema || comparisons.schema() != ComparisonSchema {
		t.Errorf("the kinds are of %s and %s", runs.schema(), comparisons.schema())
	}
}

// A comparison of version 1 stays readable for ever, and nothing of it is lost;
// what wants a check's record refuses it.
func TestComparisonVersion1(t *testing.T) {
	b, err := os.ReadFile("testdata/comparison-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := ReadDocument(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := d.(*Comparison); !ok {
		t.Fatalf("read as %T", d)
	}
	again, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := errors.Join(json.Unmarshal(b, &want), json.Unmarshal(again, &got)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nwant %s", again, b)
	}
	if _, err := Read(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), "unchoke.comparison/1") {
		t.Errorf("read as a check: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(fixture(f))
	f.Add(gzipped(f, fixture(f)))
	f.Add([]byte(`{"schema": "unchoke.record/1", "transfers": [{"series": [{}]}]}`))
	f.Add([]byte(`{"schema": "unchoke.comparison/1", "trials": [{"neighbor": {}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ReadDocument(bytes.NewReader(b))
		if err != nil {
			return
		}
		if err := Write(&bytes.Buffer{}, d); err != nil {
			t.Errorf("a record that was read cannot be written: %v", err)
		}
	})
}

func FuzzReadHead(f *testing.F) {
	f.Add(fixture(f))
	f.Add(gzipped(f, fixture(f)))
	f.Fuzz(func(_ *testing.T, b []byte) {
		ReadHead(bytes.NewReader(b))
	})
}
