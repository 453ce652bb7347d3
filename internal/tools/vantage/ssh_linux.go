package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// serveSSH starts an sshd in the router and in the cloud, and lets root in from
// the PC: by a configuration that takes the place of the system's, in the mount
// namespace that the process has for itself, or in the lab machine's.
func (t *topology) serveSSH(ctx context.Context) error {
	dir, err := os.MkdirTemp("/run", "vantage-ssh-")
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
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
		return err
	}
	var config, known strings.Builder
	for host, address := range map[string]string{"router": "192.168.1.2", "cloud": "10.30.0.1"} {
		fmt.Fprintf(&config, "Host %s\nHostName %s\nIdentityFile %s/user\nIdentitiesOnly yes\nUserKnownHostsFile %s/known\n", host, address, dir, dir)
		fmt.Fprintf(&known, "%s %s", address, public)
		// Commands of a session run in its host's namespace.
		server := t.on(ctx, host, "/usr/sbin/sshd", "-D", "-e",
			"-f", "/dev/null", "-h", filepath.Join(dir, "host"), "-o", "AuthorizedKeysFile="+filepath.Join(dir, "user.pub"),
			"-o", "PermitRootLogin=yes", "-o", "StrictModes=no", "-o", "PidFile=none")
		if err := server.Start(); err != nil {
			return err
		}
		go func() { _ = server.Wait() }()
		if err := t.listens(ctx, host, 22); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "known"), []byte(known.String()), 0o600); err != nil {
		return err
	}
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(config.String()), 0o644); err != nil {
		return err
	}
	const system = "/etc/ssh/ssh_config"
	if err := unix.Mount(file, system, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("put a configuration in the place of %s: %w", system, err)
	}
	return nil
}
