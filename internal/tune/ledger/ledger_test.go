package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/ledger"
)

type event struct {
	N int `json:"n"`
}

// read opens a ledger and returns the numbers of its events.
func read(t *testing.T, path string) (*ledger.Ledger, []int) {
	t.Helper()
	var all []int
	l, err := ledger.Open(disk.OS{}, path, func(e event) error {
		all = append(all, e.N)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, all
}

func TestWriteAfterATornEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	l, _ := read(t, path)
	for n := range 2 {
		if err := l.Write(event{n}); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	l, all := read(t, path)
	if !slices.Equal(all, []int{0}) {
		t.Fatalf("a torn file has %v", all)
	}
	if err := l.Write(event{7}); err != nil {
		t.Fatal(err)
	}
	if _, all = read(t, path); !slices.Equal(all, []int{0, 7}) {
		t.Errorf("after one more event: %v", all)
	}
}

func TestClearAndSetAside(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, "l.jsonl"), filepath.Join(dir, "old.jsonl")
	l, _ := read(t, path)
	for n := range 3 {
		if err := l.Write(event{n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.SetAside(old); err != nil {
		t.Fatal(err)
	}
	if err := l.Write(event{3}); err != nil {
		t.Fatal(err)
	}
	l.Clear()
	if err := l.Write(event{4}); err != nil {
		t.Fatal(err)
	}
	if _, all := read(t, path); !slices.Equal(all, []int{4}) {
		t.Errorf("the file has %v", all)
	}
	if _, all := read(t, old); !slices.Equal(all, []int{0, 1, 2}) {
		t.Errorf("what was set aside has %v", all)
	}
}

func TestCorrupt(t *testing.T) {
	refused := errors.New("no")
	_, err := ledger.Lines([]byte("{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"), func(e event) error {
		if e.N == 2 {
			return refused
		}
		return nil
	})
	corrupt, ok := errors.AsType[*ledger.CorruptError](err)
	if !ok || corrupt.Line != 2 || !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
}
