package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The init script starts a server only where the configuration says so, with
// what the configuration says. OpenWrt's functions are stand-ins that print.
func TestOpenWrtInit(t *testing.T) {
	const functions = `
config_load() { :; }
config_get_bool() { eval "$1=\${set_$3:-$4}"; }
config_get() { eval "$1=\${set_$3:-${4:-}}"; }
procd_open_instance() { :; }
procd_close_instance() { echo; }
procd_set_param() { [ "$1" = command ] || return 0; shift; printf '%s ' "$@"; }
procd_append_param() { shift; printf '%s ' "$@"; }
`
	for _, c := range []struct{ settings, want string }{
		{"", ""},
		{"set_enabled=1", "/usr/bin/unchoke serve --listen 127.0.0.1:5201 \n"},
		{"set_enabled=1 set_listen=:5201 set_token_file=/etc/t set_max_rate=9mbit", "/usr/bin/unchoke serve --listen :5201 --token-file /etc/t --max-rate 9mbit \n"},
	} {
		script := functions + c.settings + "\n. packaging/openwrt/files/unchoke.init\nstart_service || echo failed\n"
		out, err := exec.Command("sh", "-c", script).CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%q: %q, %v; want %q", c.settings, out, err, c.want)
		}
	}
}

// The recipe installs files that are there, from a source that is this one.
// OpenWrt's own makefiles are stand-ins: only its build system can build it.
func TestOpenWrtRecipe(t *testing.T) {
	makefile, err := exec.LookPath("make")
	if err != nil {
		t.Skip("needs make")
	}
	top := t.TempDir()
	for _, name := range []string{"rules.mk", "include/package.mk", "feeds/packages/lang/golang/golang-package.mk"} {
		if err := write(filepath.Join(top, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const show = "$(info source $(UNCHOKE_SOURCE) tags $(GO_PKG_TAGS) gcflags $(GO_PKG_GCFLAGS))$(info $(Package/unchoke/install))$(info $(Package/unchoke-full/install))\nall:\n"
	if err := write(filepath.Join(top, "show.mk"), []byte(show), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for variant, how := range map[string]string{"slim": "tags slim gcflags all=-l", "full": "tags  gcflags "} {
		cmd := exec.Command(makefile, "-C", "packaging/openwrt", "-s", "-f", "Makefile", "-f", filepath.Join(top, "show.mk"),
			"TOPDIR="+top, "INCLUDE_DIR="+top+"/include", "BUILD_VARIANT="+variant)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if want := "source " + root + " " + how + "\n"; !strings.Contains(string(out), want) {
			t.Errorf("%s: no %q in\n%s", variant, want, out)
		}
		for word := range strings.FieldsSeq(string(out)) {
			if strings.HasPrefix(word, "./files/") {
				if _, err := os.Stat(filepath.Join("packaging/openwrt", word)); err != nil {
					t.Error(err)
				}
			}
		}
		if strings.Count(string(out), "./files/unchoke.keep") != 2 {
			t.Errorf("%s: a package does not keep its files over an upgrade:\n%s", variant, out)
		}
	}
}
