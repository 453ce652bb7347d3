package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"unchoke/internal/fleet"
)

// Plans take at most so many times what Ansible takes to gather facts, on the
// same hosts, so many at once.
const (
	mostTimes = 3
	atOnce    = 10
)

// beside times fleet plan and ansible -m setup in turn, three times each, and
// compares the medians.
func (b *bench) beside(ctx context.Context) error {
	var plans, setups []float64
	for range 3 {
		began := time.Now()
		r, status, err := b.unchoke(ctx, "fleet", "plan", "--hosts", b.inventory(), "--remedy", "bbr", "--parallel", strconv.Itoa(atOnce))
		plans = append(plans, time.Since(began).Seconds())
		if err != nil {
			return err
		}
		if status != 6 || len(r.Entries) != len(b.hosts) || slices.ContainsFunc(r.Entries, func(e *fleet.Entry) bool { return e.Plan == nil }) {
			return fmt.Errorf("plan: status %d, not every host has one", status)
		}
		began = time.Now()
		cmd := exec.CommandContext(ctx, b.ansible, "all", "-i", b.inventory(), "-m", "ansible.builtin.setup", "--forks", strconv.Itoa(atOnce))
		cmd.Env = append(os.Environ(), "ANSIBLE_HOME="+filepath.Join(b.root, "ansible"), "ANSIBLE_NOCOLOR=1", "ANSIBLE_HOST_KEY_CHECKING=false")
		out, err := cmd.CombinedOutput()
		setups = append(setups, time.Since(began).Seconds())
		if err != nil {
			return fmt.Errorf("ansible: %w: %.2000s", err, out)
		}
	}
	slices.Sort(plans)
	slices.Sort(setups)
	times := plans[1] / setups[1]
	b.tell("  fleet plan %.1f s, ansible -m setup %.1f s, %d at once, medians of 3: %.2f times, limit %d", plans[1], setups[1], atOnce, times, mostTimes)
	if times > mostTimes {
		return fmt.Errorf("fleet plan takes %.1f times what ansible -m setup takes", times)
	}
	return nil
}
