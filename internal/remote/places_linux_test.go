package remote_test

import (
	"os"
	"path/filepath"
	"testing"

	"unchoke/internal/record"
	"unchoke/internal/remote"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/remote/sshtest"
)

// places starts a server in a mount namespace of its own, whose directories a
// shell command changes first.
func places(t *testing.T, change string, environment ...string) *sshtest.Server {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, for mounts of its own")
	}
	return sshtest.Start(t, sshtest.Options{
		Wrap:    []string{"unshare", "--mount", "--propagation", "private", "sh", "-ec", change + `; exec "$@"`, "sh"},
		Options: sshd.Options{Env: environment},
	})
}

const noexec = `for d in /tmp /var/tmp "$HOME"; do mount --bind "$d" "$d"; mount -o remount,bind,noexec "$d"; done`

// A directory in which no program may run, or that is full, is passed over.
func TestPassesOver(t *testing.T) {
	dir := t.TempDir()
	for name, options := range map[string]string{"noexec": "noexec", "full": "size=64k"} {
		t.Run(name, func(t *testing.T) {
			server := places(t, "mount -t tmpfs -o "+options+" none "+dir, "XDG_RUNTIME_DIR="+dir)
			_, s := begin(t, server.Target(), remote.Options{Batch: true})
			converse(t, s)
			s.Close()
		})
	}
}

// Where no directory takes the program, each is named with its reason, and the
// far host's iperf3 is what is left.
func TestNoPlace(t *testing.T) {
	dir := t.TempDir()
	server := places(t, noexec+"; mount -t tmpfs -o size=64k none "+dir, "XDG_RUNTIME_DIR="+dir)
	h, err := dial(t, server.Target(), remote.Options{Batch: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Session(t.Context())
	errorText(t, err, dir+": ", "make room")
	errorText(t, err, "/tmp: programs may not run there (noexec)", "install unchoke")
	if h.Facts.IPerf3 == "" {
		t.Skip("needs iperf3: apt-get install iperf3")
	}
	port, err := h.Serve(t.Context())
	if err != nil || port == 0 || h.Runs != record.StockServe {
		t.Errorf("port %d, runs %q, %v", port, h.Runs, err)
	}
	h.Close()
}

// A far host of another architecture is told from this one.
func TestOtherArchitecture(t *testing.T) {
	bin := t.TempDir()
	uname := "#!/bin/sh\ncase $1 in -s) echo Linux ;; *) echo sparc64 ;; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "uname"), []byte(uname), 0o700); err != nil {
		t.Fatal(err)
	}
	server := sshtest.Start(t, sshtest.Options{Options: sshd.Options{Env: []string{"PATH=" + bin + ":/usr/bin:/bin"}}})
	for binary, what := range map[string]string{
		"":                          "it is Linux on sparc64: unchoke cannot run there",
		t.TempDir():                 "there is no ",
		filepath.Join(bin, "uname"): "it is no program of linux",
	} {
		h, err := dial(t, server.Target(), remote.Options{Batch: true, FarBinary: binary})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Session(t.Context())
		errorText(t, err, what, "--far-binary")
		h.Close()
	}
}
