// Fleet measures what rollouts to many hosts leave: hosts in namespaces with a
// real sshd each, six of them broken in different ways and one that becomes
// slower, and rollouts that are killed at random moments. It takes root.
//
//	fleet -unchoke bin/unchoke -hosts 50 -kills 20
//	fleet -unchoke bin/unchoke -hosts 50 -kills 20 -save DIR    keep what was shown; go on there
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"unchoke/internal/remote/sshd"
	"unchoke/internal/tools/tool"
)

func main() { tool.Main("fleet", run) }

// insideWord begins the arguments of the process that has namespaces of its own.
const insideWord = "inside"

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 || args[0] != insideWord {
		return enter(ctx, args, stdout, stderr)
	}
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the program")
	hosts := flags.Int("hosts", 50, "in the fleet: twelve at least")
	kills := flags.Int("kills", 20, "rollouts that are killed")
	rounds := flags.Int("rounds", 4, "measurements of each direction; 0 leaves out the host that becomes slower")
	ansible := flags.String("ansible", "", "the program ansible, which is timed beside fleet plan; empty leaves that out")
	seed := flags.Uint64("seed", 14, "of the moments at which rollouts are killed")
	save := flags.String("save", "", "directory for the reports and for what was shown; a bench that was stopped goes on there. None are kept if empty")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if *hosts < 12 {
		return errors.New("it takes twelve hosts at least")
	}
	program, err := filepath.Abs(*unchoke)
	if err != nil {
		return err
	}
	what, err := sum(program)
	if err != nil {
		return err
	}
	shown, err := resume(*save, fmt.Sprintf("%s, %d hosts, seed %d", what, *hosts, *seed))
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	b := &bench{program: program, ansible: *ansible, root: root, rounds: *rounds, save: *save, out: stdout, seed: *seed, shown: shown}
	if err := b.build(ctx, *hosts); err != nil {
		return err
	}
	return b.run(ctx, *kills)
}

// enter starts the bench in namespaces of its own: nothing outlasts it.
func enter(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if os.Geteuid() != 0 {
		return errors.New("it takes root, for namespaces of its own")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "unshare", append([]string{"--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", self, insideWord}, args...)...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd.Run()
}

// build makes the fleet, and an inventory of it.
func (b *bench) build(ctx context.Context, n int) error {
	if err := network(b.root); err != nil {
		return fmt.Errorf("make the network: %w", err)
	}
	bin := filepath.Join(b.root, "bin")
	keys, err := sshd.New(b.root, sshd.Options{
		Port: 22, Env: []string{"PATH=" + bin + ":/usr/sbin:/usr/bin:/sbin:/bin"},
		Lines: []string{
			"Match User guest", "SetEnv HOME=/run/home", "AuthorizedKeysCommand /bin/cat " + filepath.Join(b.root, "authorized_keys"), "AuthorizedKeysCommandUser root", "Match all",
		},
		// OpenSSH 9.2 computes 100 ms for a login's usual key exchange (sntrup761), ten
		// times what this one takes, and all 50 hosts log in on this machine.
		ClientLines: []string{"KexAlgorithms curve25519-sha256"},
	})
	if err != nil {
		return err
	}
	if err := os.Chmod(b.root, 0o755); err != nil {
		return err
	}
	if err := os.Link(b.program, filepath.Join(bin, "unchoke")); err != nil {
		text, err := os.ReadFile(b.program)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(bin, "unchoke"), text, 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(bin, 0o755); err != nil {
		return err
	}
	for i := range n {
		var h *host
		if i == bare {
			h, err = boot(ctx, keys, b.root, i)
		} else {
			h, err = start(keys, b.root, i, broken[i].script)
		}
		if err != nil {
			return err
		}
		if i == sudoless {
			h.user = "guest"
		}
		b.hosts = append(b.hosts, h)
	}
	b.keys = keys
	var lines []string
	for _, h := range b.hosts {
		lines = append(lines, fmt.Sprintf("%s ansible_host=%s ansible_user=%s", h.name, h.address, h.user))
	}
	lines = append(lines, "[all:vars]", "ansible_ssh_common_args=-F "+filepath.Join(b.root, "ssh_config"),
		"ansible_python_interpreter=/usr/bin/python3", "ansible_remote_tmp=/run/ansible")
	return os.WriteFile(b.inventory(), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// Hosts of a kind of their own.
const (
	bare       = 2
	full       = 3
	readOnly   = 4
	conflicted = 5
	sudoless   = 6
	dying      = 8
	slowing    = 10
)

// broken are what a host's own kind does to it at its start.
var broken = map[int]struct{ kind, script string }{
	bare:       {"no module", ""}, // boot starts it
	full:       {"no room for the journal", "mount -t tmpfs -o size=64k none /var/lib"},
	readOnly:   {"/etc cannot be written", "mount -o remount,bind,ro /etc"},
	conflicted: {"a conflict", "echo net.ipv4.tcp_congestion_control=cubic >/etc/sysctl.d/99-zzz-other.conf"},
	sudoless:   {"sudo refused", ""},
}

func (b *bench) inventory() string { return filepath.Join(b.root, "hosts.ini") }
