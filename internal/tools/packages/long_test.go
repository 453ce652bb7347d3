package main

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var long = flag.Bool("long", false, "run what builds whole packages and boots hosts: make test-packages")

func needLong(t *testing.T) {
	t.Helper()
	if !*long {
		t.Skip("takes minutes: make test-packages")
	}
}

var (
	builds   = map[string]string{}
	building sync.Mutex
)

// built are amd64's packages of this tree under a version, built once.
func built(t *testing.T, version string) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	if dir := builds[version]; dir != "" {
		return dir
	}
	dir, err := os.MkdirTemp("", "unchoke-packages-test-")
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), dir, []string{"amd64"}, false, version); err != nil {
		t.Fatal(err)
	}
	builds[version] = dir
	return dir
}

func removeBuilds() {
	for dir := range maps.Values(builds) {
		os.RemoveAll(dir)
	}
}

// one is the one file of a directory that a pattern matches.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in %s: %q, %v", pattern, dir, found, err)
	}
	return found[0]
}

// Two builds of one commit in different folders, by different umasks, are the
// same bytes.
func TestLongReproducible(t *testing.T) {
	needLong(t)
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output() // of both trees, whatever is committed meanwhile
	if err != nil {
		t.Fatal(err)
	}
	var sums []string
	for i, umask := range []string{"022", "077"} {
		tree := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "tree")
		out := filepath.Join(t.TempDir(), "out")
		script := `umask ` + umask + ` && git clone --quiet --no-hardlinks . "$1" && cd "$1" && git checkout --quiet --detach "$3" && go run ./internal/tools/packages -version v1.2.3 -out "$2"`
		if said, err := exec.Command("bash", "-ec", script, "bash", tree, out, strings.TrimSpace(string(commit))).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		text, err := os.ReadFile(filepath.Join(out, sumsFile))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(text))
		if i == 0 {
			sizes(t, out)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("built once:\n%s\nand again:\n%s", sums[0], sums[1])
	}
	t.Logf("the same %d files:\n%s", strings.Count(sums[0], "\n"), sums[0])
}

// The most that a package may have, in bytes.
const (
	mostDeb  = 8_000_000
	mostSlim = 6_000_000 // for routers
)

func sizes(t *testing.T, dir string) {
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(debs) != len(targets) {
		t.Fatalf("%q, %v", debs, err)
	}
	for _, name := range slices.Sorted(slices.Values(debs)) {
		st, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		most := int64(mostDeb)
		if strings.Contains(name, "mipsel") {
			most = mostSlim
		}
		t.Logf("%s: %d bytes, limit %d", filepath.Base(name), st.Size(), most)
		if st.Size() > most {
			t.Errorf("%s is larger than %d bytes", filepath.Base(name), most)
		}
	}
}

// Of the apk nothing is installed: Debian has no apk. Its parts are looked at.
func TestLongAPK(t *testing.T) {
	needLong(t)
	pack := one(t, built(t, "v0.1.0"), "unchoke-*.x86_64.apk")
	out, err := exec.Command("tar", "-xzOf", pack, "--warning=no-unknown-keyword", ".PKGINFO").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, " = ") {
			t.Errorf("PKGINFO: %q is no KEY = VALUE", line)
		}
	}
	for _, want := range []string{"pkgname = unchoke\n", "pkgver = 0.1.0-r0\n", "arch = x86_64\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	list, err := exec.Command("tar", "-tzf", pack, "--warning=no-unknown-keyword").Output()
	if err != nil || !strings.Contains(string(list), "usr/bin/unchoke\n") || strings.Contains(string(list), "systemd") {
		t.Errorf("%v\n%s", err, list)
	}
}
