package kernel

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// A kernel built at home wins over a newer one of the system; one of another
// version of unchoke is not taken.
func TestFindInPlaces(t *testing.T) {
	home, system := t.TempDir(), t.TempDir()
	places := []string{home, filepath.Join(home, "missing"), system}
	keep(t, system, Info{Key: "5757", Version: "6.18.1", Recipe: recipe()})
	if info, err := Find(places, ""); err != nil || info.Key != "5757" {
		t.Errorf("only the system's: %q, %v", info.Key, err)
	}
	keep(t, home, Info{Key: "aaaa", Version: "6.12.9", Recipe: recipe()})
	keep(t, home, Info{Key: "cccc", Version: "6.18.2", Recipe: "of another version"})
	if info, err := Find(places, ""); err != nil || info.Key != "aaaa" {
		t.Errorf("beside one built at home: %q, %v", info.Key, err)
	}
	if info, err := Find(places, "57"); err != nil || info.Key != "5757" {
		t.Errorf("by its key: %q, %v", info.Key, err)
	}
	keep(t, home, Info{Key: "5757", Version: "6.18.1", Recipe: recipe()})
	if info, err := Find(places, "5757"); err != nil || filepath.Dir(filepath.Dir(info.Path)) != home {
		t.Errorf("in both: %s, %v", info.Path, err)
	}
}

func TestNoneBut(t *testing.T) {
	at := func(dir, recipe string) Info { return Info{Recipe: recipe, Path: filepath.Join(dir, "k", imageName)} }
	err := noneBut([]Info{at("/home/u/.cache/unchoke/kernel", "h0me"), at(System, "0ther")})
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "0ther") || !strings.Contains(err.Error(), recipe()) {
		t.Errorf("a package of another version: %v", err)
	}
	if err := noneBut([]Info{at("/home/u/.cache/unchoke/kernel", "h0me")}); err != ErrNone {
		t.Errorf("none of a package: %v", err)
	}
}
