package rendertest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	checkreport "unchoke/internal/report/check"
	comparereport "unchoke/internal/report/compare"
	"unchoke/internal/report/render"
	"unchoke/internal/state"
	"unchoke/internal/tools/schema"
)

// shortFixture is how many bytes of JSON a short run holds against a schema: the
// race detector makes a megabyte of it last for seconds.
const shortFixture = 256 << 10

// Every document among the files of tests is what its schema says. Of records that
// have one truth, the first will do: all were written by the same program, and to
// hold a hundred megabytes against a schema takes longer than any other test here.
func TestFixturesAreDocuments(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	done := truths{}
	err := filepath.WalkDir("../../..", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(file, "/testdata/") {
			return err
		}
		if done.known(file) {
			return nil
		}
		text := readFixture(t, file)
		if testing.Short() && len(text) > shortFixture {
			return nil
		}
		name := schemaOf(text)
		if !strings.HasPrefix(name, "unchoke.") {
			return nil
		}
		found[name]++
		if err := schema.Validate(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		return nil
	})
	if err != nil || len(found) < 3 {
		t.Errorf("found %v, %v", found, err)
	}
	t.Log(found)
}

// Every record of the tests gives a report that is what its schema says, and a text
// that keeps to the screen: each cause, and each way in which a run can end.
func TestReportsOfFixtures(t *testing.T) {
	t.Parallel()
	reports := 0
	for _, pattern := range []string{"../../../internal/diagnose/testdata/*.json.gz", "../../../internal/record/testdata/*.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		done := truths{}
		for _, file := range files {
			known := done.known(file)
			if testing.Short() && known {
				continue
			}
			d, err := state.ReadFile(file)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			var doc, stored bytes.Buffer
			switch d := d.(type) {
			case *record.Run:
				c := checkreport.New(d)
				keepsToTheWidth(t, file, c, 80)
				keepsToTheWidth(t, file, c, 60)
				err = c.JSON(&doc)
			case *record.Comparison:
				err = comparereport.New(d, compare.Analyse(d)).JSON(&doc)
			}
			if err == nil {
				err = schema.Validate(doc.Bytes())
			}
			// A record that is written again is the fixture, which
			// TestFixturesAreDocuments validates: one of each kind will do.
			if err == nil && !known {
				err = json.NewEncoder(&stored).Encode(d)
			}
			if err == nil && !known {
				err = schema.Validate(stored.Bytes())
			}
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			reports++
		}
	}
	if reports < 3 {
		t.Errorf("%d reports", reports)
	}
}

// truths are those of the fixtures so far, by the folder and what stands before "--".
type truths map[string]bool

// known says that a fixture before this one had its truth.
func (t truths) known(file string) bool {
	truth, _, _ := strings.Cut(file, "--")
	known := t[truth]
	t[truth] = true
	return known
}

// keepsToTheWidth is true of a screen's text but for a command, which must stay whole.
func keepsToTheWidth(t *testing.T, file string, c checkreport.Report, width int) {
	t.Helper()
	commands := map[string]bool{"Proof: " + c.Proof: true}
	for _, f := range c.Findings {
		for _, r := range f.Remedies {
			commands[r.Command] = true
		}
	}
	var b bytes.Buffer
	if err := c.Text(&b, render.Style{Width: width}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if utf8.RuneCountInString(line) > width && !commands[strings.TrimSpace(line)] {
			t.Errorf("%s: %d columns: %q", file, utf8.RuneCountInString(line), line)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%s: colour that nobody asked for", file)
	}
}

// schemaOf is the schema that a document names, empty where it names none. It
// reads no further than that.
func schemaOf(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	if opens, err := d.Token(); err != nil || opens != json.Delim('{') {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return ""
		}
		if key == "schema" {
			name, _ := d.Token()
			text, _ := name.(string)
			return text
		}
		var other json.RawMessage
		if d.Decode(&other) != nil {
			return ""
		}
	}
	return ""
}

// readFixture reads a JSON file, packed or not; nothing of others.
func readFixture(t *testing.T, file string) []byte {
	packed := strings.HasSuffix(file, ".json.gz")
	if !packed && !strings.HasSuffix(file, ".json") {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if packed {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return text
}
