package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The tests run where the program does: at the module's root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		panic(err)
	}
	flag.Parse()
	status := m.Run()
	removeBuilds()
	os.Exit(status)
}

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestVersions(t *testing.T) {
	for _, c := range []struct{ described, deb, apk string }{
		{"v1.2.3", "1.2.3", "1.2.3"},
		{"v1.2.3-5-g0123abc", "1.2.3+git5.0123abc", "1.2.3_git5"},
		{"0123abc", "0.0.0~git20260102030405.0123abc", "0.0.0_git20260102030405"},
		{"1234567", "0.0.0~git20260102030405.1234567", "0.0.0_git20260102030405"},
	} {
		deb, rpm, apk := commit{c.described, day}.versions()
		if deb != c.deb || rpm != c.deb || apk != c.apk {
			t.Errorf("%s: %s, %s, %s", c.described, deb, rpm, apk)
		}
	}
}

// Of two versions dpkg takes the one that is later in our history for newer.
func TestVersionsOrder(t *testing.T) {
	dpkg, err := exec.LookPath("dpkg")
	if err != nil {
		t.Skip("needs dpkg")
	}
	last := "0.0.0~~"
	for _, described := range []string{"0123abc", "v0.1.0", "v0.1.0-1-gfff", "v0.1.0-12-gaaa", "v0.1.1", "v0.10.0"} {
		deb, _, _ := commit{described, day}.versions()
		if err := exec.Command(dpkg, "--compare-versions", last, "lt", deb).Run(); err != nil {
			t.Errorf("%s is not before %s: %v", last, deb, err)
		}
		last = deb
	}
}

func TestArchive(t *testing.T) {
	files := []file{{"/usr/share/b", 0o644, []byte("bb")}, {"/usr/bin/a", 0o755, []byte("a")}}
	first, err := archive("top", files, day)
	if err != nil {
		t.Fatal(err)
	}
	second, err := archive("top", []file{files[1], files[0]}, day)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("the order of the files shows: %v", err)
	}
	var got []string
	for r := tar.NewReader(bytes.NewReader(first)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Uname != "root" || !h.ModTime.Equal(day) {
			t.Errorf("%+v", h)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name)
	}
	want := "drwxr-xr-x top/\ndrwxr-xr-x top/bin/\n-rwxr-xr-x top/bin/a\ndrwxr-xr-x top/share/\n-rw-r--r-- top/share/b"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// The bill of this test's own program names the modules that it was built of.
func TestBill(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	doc := billOf(info, sha256.Sum256([]byte("x")), commit{"v1.2.3", day}, targets[0])
	ids := map[string]bool{doc.ID: true}
	for _, p := range doc.Packages {
		if ids[p.ID] || p.Name == "" || p.Version == "" {
			t.Errorf("twice, or without a name or version: %+v", p)
		}
		ids[p.ID] = true
	}
	if len(doc.Packages) != len(info.Deps)+2 || len(doc.Relationships) != len(doc.Packages) {
		t.Errorf("%d packages and %d relationships for %d modules", len(doc.Packages), len(doc.Relationships), len(info.Deps))
	}
	for _, r := range doc.Relationships {
		if !ids[r.Element] || !ids[r.Related] {
			t.Errorf("%+v relates what is not there", r)
		}
	}
	text, err := json.Marshal(doc)
	if err != nil || !bytes.Contains(text, []byte(`"SPDXID":"SPDXRef-DOCUMENT"`)) || !bytes.Contains(text, []byte(`"created":"2026-01-02T03:04:05Z"`)) {
		t.Errorf("%s, %v", text, err)
	}
}

// What a removal and a purge do, by what tune says stands on the host.
func TestRemoval(t *testing.T) {
	for _, c := range []struct {
		name, status string // of tune status --json; empty: it fails
		refused      bool
		kept         bool // the state, over a purge
	}{
		{"nothing stands", `{"phase": "idle", "items": []}`, false, false},
		{"kept", `{"phase": "kept", "items": [1]}`, false, true},
		{"tried", `{"phase": "tried", "items": [1]}`, true, true},
		{"undoing", `{"phase": "undoing", "items": [1]}`, true, true},
		{"journal lost", `{"phase": "idle", "items": [], "lost": {}}`, false, true},
		{"journal unreadable", "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			journal := filepath.Join(root, "var/lib/unchoke/tune/journal.jsonl")
			if err := write(journal, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			program := "#!/bin/sh\nexit 1\n"
			if c.status != "" {
				program = "#!/bin/sh\necho '" + c.status + "'\n"
			}
			if err := write(filepath.Join(root, "bin/unchoke"), []byte(program), 0o755); err != nil {
				t.Fatal(err)
			}
			run := func(moment string, args ...string) (string, error) {
				text, err := compose(scripts["deb"][moment])
				if err != nil {
					t.Fatal(err)
				}
				text = strings.NewReplacer("/var/lib", root+"/var/lib", "/run/systemd", root+"/run/systemd").Replace(text)
				cmd := exec.Command("sh", append([]string{"-c", text, "sh"}, args...)...)
				cmd.Env = []string{"PATH=" + root + "/bin:/usr/bin:/bin"}
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := run("preremove", "upgrade", "2"); err != nil || out != "" {
				t.Errorf("upgrade: %q, %v", out, err)
			}
			out, err := run("preremove", "remove")
			if (err != nil) != c.refused {
				t.Fatalf("removal: %q, %v", out, err)
			}
			if c.refused {
				if !strings.Contains(out, "unchoke tune revert") {
					t.Errorf("removal: %q", out)
				}
				return
			}
			if c.kept != strings.Contains(out, "unchoke tune revert") {
				t.Errorf("removal: %q", out)
			}
			if out, err := run("postremove", "remove"); err != nil || out != "" {
				t.Errorf("after removal: %q, %v", out, err)
			}
			if _, err := os.Stat(journal); err != nil {
				t.Errorf("a removal took the journal: %v", err)
			}
			if out, err := run("postremove", "purge"); err != nil || c.kept != strings.Contains(out, "is kept") {
				t.Errorf("purge: %q, %v", out, err)
			}
			if _, err := os.Stat(journal); (err == nil) != c.kept {
				t.Errorf("after the purge: %v", err)
			}
		})
	}
}

// Each format's scripts are shell, and say nothing where nothing is to be done.
func TestScripts(t *testing.T) {
	for format, moments := range scripts {
		for when, parts := range moments {
			text, err := compose(parts)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("sh", "-n", "-c", text).CombinedOutput(); err != nil {
				t.Errorf("%s of %s: %v: %s", when, format, err, out)
			}
		}
	}
}

// The services' exposure, as systemd rates it, is 2.0 of 10 at most.
func TestExposure(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze: apt-get install systemd")
	}
	files, err := units("")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Join(t.TempDir(), filepath.Base(f.path))
		if err := os.WriteFile(name, f.data, 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=20", "--no-pager", name).CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Log(lines[len(lines)-1])
		if err != nil {
			t.Errorf("%s: %v\n%s", f.path, err, out)
		}
		if !bytes.Contains(f.data, []byte("ExecStart=/usr/bin/unchoke ")) {
			t.Errorf("%s does not start the package's program:\n%s", f.path, f.data)
		}
	}
}
