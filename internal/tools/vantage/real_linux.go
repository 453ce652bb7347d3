package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"unchoke/internal/tools/cpugroup"
)

// real runs a command in namespaces of this host, of processes too: nothing
// outlasts it. Other programs have to wait for it.
func (b bench) real(ctx context.Context, args ...string) (out []byte, err error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("it takes root, for namespaces and control groups")
	}
	group, err := cpugroup.New(fmt.Sprintf("unchoke-vantage-%d", os.Getpid()))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, group.Remove()) }()
	// One processor has it all: with several, a kernel's packets overtake each
	// other on their way through the namespaces.
	const script = `echo $$ >"$0" && exec taskset --cpu-list $(($(nproc) - 1)) unshare --net --mount --pid --fork --kill-child --mount-proc "$@"`
	words := append([]string{"-c", script, group.Members(), b.self}, args...)
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", append(words, "-real")...)
	cmd.Stderr = &said
	if out, err = cmd.Output(); err != nil {
		err = fmt.Errorf("%w: %s", err, said.String())
	}
	return out, err
}

// ownRun gives the mount namespace that the process has for itself an empty /run:
// the names of network namespaces and the records are there.
func ownRun() error {
	if err := unix.Mount("run", "/run", "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("mount a /run: %w", err)
	}
	return nil
}

// busyRate is what the router's own connections carry at most where its processor
// is the limit, in bit/s: a sixth of its line, so that what it
// answers to a download is too much as well.
const busyRate = 20e6

// keepBusy has the router look each TCP packet of its own up in a list of rules
// that none of them meets, and in a longer and longer one until a stream of stock
// iperf3 from there carries busyRate at most. What it forwards meets no list.
func (t *topology) keepBusy(ctx context.Context) error {
	const first, most = 2000, 128_000
	for rules := first; rules <= most; rules += rules / 2 {
		if err := t.filterOutput(ctx, "router", rules); err != nil {
			return err
		}
		rate, err := t.iperf3(ctx, "router", "--no-delay")
		if err != nil {
			return err
		}
		if rate <= busyRate {
			return nil
		}
	}
	return fmt.Errorf("with %d rules the router still carries more than %.0f Mbit/s", most, busyRate/1e6)
}

// filterOutput gives a host so many rules for what its own programs send.
func (t *topology) filterOutput(ctx context.Context, host string, rules int) error {
	var text strings.Builder
	text.WriteString("flush ruleset\ntable ip busy {\n chain output {\n  type filter hook output priority 0;\n  ip protocol != tcp accept\n")
	for i := range rules {
		fmt.Fprintf(&text, "  ip daddr 198.18.%d.%d drop\n", i>>8&0xff, i&0xff) // RFC 2544's addresses, met by nobody
	}
	text.WriteString(" }\n}\n")
	cmd := t.on(ctx, host, "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("nft in %s: %w: %s", host, err, strings.TrimSpace(string(out)))
	}
	return nil
}
