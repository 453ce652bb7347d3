package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Real archives by ar: other members keep their bytes, of odd length too.
func TestReplaceMember(t *testing.T) {
	if _, err := exec.LookPath("ar"); err != nil {
		t.Skip("needs ar: ", err)
	}
	dir := t.TempDir()
	files := map[string]string{"debian-binary": "2.0\n", "control.tar.gz": "odd", dataMember: "old, of odd length", "last": "x"}
	args := []string{"rcD", "a.deb", "debian-binary", "control.tar.gz", dataMember, "last"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ar := func(args ...string) []byte {
		cmd := exec.Command("ar", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("ar %q: %v", args, err)
		}
		return out
	}
	ar(args...)
	before, err := os.ReadFile(filepath.Join(dir, "a.deb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"even", "odd", "", "something longer than before"} {
		after, err := replaceMember(before, dataMember, func(old []byte) ([]byte, error) {
			if string(old) != files[dataMember] {
				t.Errorf("the member was %q", old)
			}
			return []byte(text), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "b.deb"), after, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, want := range files {
			if name == dataMember {
				want = text
			}
			if got := ar("p", "b.deb", name); string(got) != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	keep := func(data []byte) ([]byte, error) { return data, nil }
	if same, err := replaceMember(before, dataMember, keep); err != nil || !bytes.Equal(same, before) {
		t.Errorf("an archive of which nothing changed is another, %v", err)
	}
	for _, broken := range [][]byte{nil, []byte("x"), before[:30], before[:100], append(bytes.Clone(before), 'x')} {
		if _, err := replaceMember(broken, dataMember, keep); err == nil {
			t.Errorf("%d bytes pass for an archive", len(broken))
		}
	}
	if _, err := replaceMember(before, "absent", keep); err == nil {
		t.Error("a member that is not there was replaced")
	}
}
