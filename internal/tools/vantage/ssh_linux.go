package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// serveSSH starts an sshd in the router and in the cloud, and lets the user of
// the lab machine's root in from the PC. The machine's files are its own.
func serveSSH(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "vantage-ssh-")
	if err != nil {
		return err
	}
	for _, key := range []string{"host", "user"} {
		if err := do(ctx, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)); err != nil {
			return err
		}
	}
	public, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	if err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
		return err
	}
	var config, known strings.Builder
	for host, address := range map[string]string{"router": "192.168.1.2", "cloud": "10.30.0.1"} {
		fmt.Fprintf(&config, "Host %s\nHostName %s\nIdentityFile %s/user\nIdentitiesOnly yes\nUserKnownHostsFile %s/known\n", host, address, dir, dir)
		fmt.Fprintf(&known, "%s %s", address, public)
		// Commands of a session run in its host's namespace.
		server := exec.CommandContext(ctx, "ip", "netns", "exec", host, "/usr/sbin/sshd", "-D", "-e",
			"-f", "/dev/null", "-h", filepath.Join(dir, "host"), "-o", "AuthorizedKeysFile="+filepath.Join(dir, "user.pub"),
			"-o", "PermitRootLogin=yes", "-o", "StrictModes=no", "-o", "PidFile=none")
		if err := server.Start(); err != nil {
			return err
		}
		go func() { _ = server.Wait() }()
	}
	if err := os.WriteFile(filepath.Join(dir, "known"), []byte(known.String()), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".ssh", "config"), []byte(config.String()), 0o600)
}
