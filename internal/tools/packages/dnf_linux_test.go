package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dnf installs the package into a root with what it asks for and no more, upgrades
// and removes it there, with its scripts; into an empty root it refuses to.
func TestLongDNF(t *testing.T) {
	needLong(t)
	for _, program := range []string{"dnf", "rpm", "rpmbuild"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs " + program)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	root := t.TempDir()
	dnf := func(args ...string) (string, error) {
		out, err := exec.Command("dnf", append([]string{
			"--installroot=" + root, "--disablerepo=*", "--setopt=reposdir=" + filepath.Join(root, "none"), "--releasever=1", "--assumeyes",
		}, args...)...).CombinedOutput()
		return string(out), err
	}
	run := func(args ...string) {
		t.Helper()
		out, err := dnf(args...)
		if err != nil || strings.Contains(out, "scriptlet failed") || strings.Contains(out, "not found") {
			t.Errorf("dnf %q: %v\n%s", args, err, out)
		}
	}
	first := one(t, built(t, "v0.1.0"), "unchoke-*.x86_64.rpm")
	if out, err := dnf("install", first); err == nil || !strings.Contains(out, "nothing provides /bin/sh") {
		t.Errorf("into a root without a shell: %v\n%s", err, out)
	}
	run("install", baseOf(t, "sh", "rm", "sed"))
	if out, err := exec.Command("mknod", "--mode=666", filepath.Join(root, "dev/null"), "c", "1", "3").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	installed := filepath.Join(root, "usr/bin/unchoke")
	for i, pack := range []string{first, one(t, built(t, "v0.1.1"), "unchoke-*.x86_64.rpm")} {
		run("install", pack)
		version := fmt.Sprintf("0.1.%d", i)
		out, err := exec.Command(installed, "version").CombinedOutput()
		if err != nil || !strings.Contains(string(out), version) {
			t.Errorf("%s, %v, want %s", out, err, version)
		}
		verified, err := exec.Command("rpm", "--root", root, "--verify", "unchoke").CombinedOutput()
		if err != nil || len(verified) > 0 {
			t.Errorf("verify %s: %s, %v", version, verified, err)
		}
	}
	run("remove", "unchoke")
	if _, err := os.Stat(installed); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the removal: %v", err)
	}
}

// baseOf packs these programs of this host's, with what they are linked with, as
// the packages of a distribution that a script's needs are found in.
func baseOf(t *testing.T, programs ...string) (file string) {
	t.Helper()
	dir := t.TempDir()
	files := filepath.Join(dir, "files")
	const script = `
files=$1; shift
mkdir -p "$files/bin" "$files/dev"
for program; do
	cp "$(command -v "$program")" "$files/bin/"
	for file in $(ldd "$(command -v "$program")" | grep -o '/[^ ]*'); do mkdir -p "$files${file%/*}" && cp "$file" "$files$file"; done
done`
	if out, err := exec.Command("sh", append([]string{"-ec", script, "sh", files}, programs...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	spec := `Name: base
Version: 1
Release: 1
Summary: a shell and some programs
License: none
AutoReqProv: no
Provides: coreutils, sed
%global debug_package %{nil}
%global __os_install_post %{nil}
%description
A shell and some programs.
%install
cp -a ` + files + `/. %{buildroot}
%files
/*
`
	if err := write(filepath.Join(dir, "base.spec"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("rpmbuild", "-bb", "--quiet", "--define", "_topdir "+filepath.Join(dir, "top"), "--define", "_rpmdir "+dir, filepath.Join(dir, "base.spec")).CombinedOutput()
	if err != nil {
		t.Fatalf("rpmbuild: %v\n%s", err, out)
	}
	return one(t, filepath.Join(dir, "*"), "base-*.rpm")
}
