//go:build unix

package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/ledger"
)

// A journal that others may write to, or put another in the place of, is not
// read, and no lock is taken beside it.
func TestUntrusted(t *testing.T) {
	for name, open := range map[string]func(base, dir string) error{
		"the directory":     func(_, dir string) error { return os.Chmod(dir, 0o777) },
		"its group":         func(_, dir string) error { return os.Chmod(dir, 0o770) },
		"sticky":            func(_, dir string) error { return os.Chmod(dir, 0o777|os.ModeSticky) },
		"the file":          func(_, dir string) error { return os.Chmod(filepath.Join(dir, current), 0o666) },
		"the one before":    func(_, dir string) error { return os.WriteFile(filepath.Join(dir, previous), nil, 0o622) },
		"a directory above": func(base, _ string) error { return os.Chmod(base, 0o777) },
		"a link":            func(_, dir string) error { return os.Symlink("/dev/null", filepath.Join(dir, "lock")) },
	} {
		base := filepath.Join(t.TempDir(), "base")
		dir := filepath.Join(base, "tune")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, current), lines(t, life[:7]), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(disk.OS{}, dir); err != nil {
			t.Fatalf("%s: before: %v", name, err)
		}
		if err := open(base, dir); err != nil {
			t.Fatal(err)
		}
		if name == "the one before" { // whatever the umask
			if err := os.Chmod(filepath.Join(dir, previous), 0o622); err != nil {
				t.Fatal(err)
			}
		}
		var untrusted *UntrustedError
		if _, err := Open(disk.OS{}, dir); !errors.As(err, &untrusted) {
			t.Errorf("%s: read: %v", name, err)
		}
		if _, err := Lock(context.Background(), dir); !errors.As(err, &untrusted) {
			t.Errorf("%s: locked: %v", name, err)
		}
	}
}

func TestUntrustedOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	dir := filepath.Join(t.TempDir(), "tune")
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, link} {
		if _, err := Open(disk.OS{}, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	var untrusted *UntrustedError
	for _, name := range []string{dir, link, filepath.Join(dir, "not", "there")} {
		if _, err := Open(disk.OS{}, name); !errors.As(err, &untrusted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What no plan can have asked for is not in a journal, whoever wrote it.
func TestForged(t *testing.T) {
	forge := func(change func(*Begin)) []byte {
		begin := *life[0].Begin
		begin.Changes = append([]tune.Change(nil), begin.Changes...)
		change(&begin)
		return lines(t, append([]Event{{Kind: Began, Begin: &begin}}, life[1:7]...))
	}
	var corrupt *ledger.CorruptError
	for name, change := range map[string]func(*Begin){
		"a key":   func(b *Begin) { b.Changes[0].Key = "kernel.core_pattern" },
		"a file":  func(b *Begin) { b.Changes[1].Key = "/etc/cron.d/evil" },
		"a round": func(b *Begin) { b.ID = "../../etc" },
	} {
		if _, _, err := parse(forge(change)); !errors.As(err, &corrupt) || corrupt.Line != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := parse(forge(func(*Begin) {})); err != nil {
		t.Error(err)
	}
	loan := append(append([]Event(nil), life[:8]...), Event{Kind: Lent, Key: "kernel.modprobe", Value: new("/tmp/x")})
	if _, _, err := parse(lines(t, loan)); !errors.As(err, &corrupt) {
		t.Errorf("a loan of another key: %v", err)
	}
}
