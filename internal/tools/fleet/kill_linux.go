package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"unchoke/internal/fleet"
)

// aRollout is how long one takes where none went to its end before.
const aRollout = 15 * time.Second

// mostRollouts are begun for each that has to be killed: some are done before.
const mostRollouts = 3

// kill kills so many rollouts. What a rollout that was done before the kill shows
// is looked at too, and does not count.
func (b *bench) kill(ctx context.Context, kills int) error {
	p := b.shown
	for p.Killed < kills && p.Rollouts < mostRollouts*kills {
		began, before := time.Now(), p.Killed
		told, err := b.killed(ctx, rand.New(rand.NewPCG(b.seed, uint64(p.Rollouts))))
		if ctx.Err() != nil {
			return ctx.Err() // what was under way says nothing
		}
		p.Rollouts++
		b.tell("  rollout %d: %s  %5.1f s", p.Rollouts, told, time.Since(began).Seconds())
		switch {
		case err != nil:
			p.Wrong++
			b.tell("    WRONG: %v", err)
		case p.Killed > before:
			p.Ended++
		}
		if err := b.revertAll(ctx); err != nil {
			return err
		}
		if err := p.keep(); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.out, "%d of %d killed rollouts left every host confirmed or as it was, and went on to the end\n", p.Ended, p.Killed)
	switch {
	case p.Wrong > 0:
		return fmt.Errorf("%d were wrong", p.Wrong)
	case p.Killed < kills:
		return fmt.Errorf("of %d rollouts only %d could be killed", p.Rollouts, p.Killed)
	}
	return nil
}

// killed kills a rollout at a random moment of its usual time, and lets it go on
// after each host has had its timer's time.
func (b *bench) killed(ctx context.Context, random *rand.Rand) (told string, err error) {
	args := b.apply("--rounds", "0", "--skip-refused", "--batch", "1,5,20%")
	cmd := b.command(ctx, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	before, began := b.newest(), time.Now()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for b.newest() == before && cmd.ProcessState == nil { // until it touches hosts
		time.Sleep(10 * time.Millisecond)
	}
	touches := time.Since(began)
	left := aRollout
	if b.shown.Took > 0 {
		left = max(b.shown.Took-touches, time.Second)
	}
	after := time.Duration(random.Int64N(int64(left)))
	select {
	case <-time.After(after):
		_ = cmd.Process.Kill()
		<-ended
		b.shown.Killed++
		told = fmt.Sprintf("killed after %.1f of about %.0f s", after.Seconds(), left.Seconds())
	case <-ended: // sooner: it was done, and this is how long one takes by now
		b.shown.Took = time.Since(began)
		told = "done before it could be killed"
	}
	confirmed := make([]bool, len(b.hosts))
	err = b.each(func(i int, h *host) (err error) {
		confirmed[i], err = b.settled(h)
		return err
	})
	n := 0
	for _, c := range confirmed {
		if c {
			n++
		}
	}
	told += fmt.Sprintf(", %d of %d confirmed", n, len(b.hosts))
	if err != nil {
		return told, err
	}
	r, status, err := b.unchoke(ctx, "fleet", "apply", "--resume", "--yes")
	if err != nil {
		return told, err
	}
	if status != 0 || !r.Done {
		return told, fmt.Errorf("resumed: status %d, halt %+v", status, r.Halt)
	}
	for i, e := range r.Entries {
		if kept := e.Stage == fleet.Kept; kept == leftOut(i) {
			return told, fmt.Errorf("resumed: %s is %s", e.Host, e.Stage)
		}
	}
	return told, b.as(r, false)
}

// settled says whether a host is confirmed; else it is as it was, at the latest
// when its timer has run out.
func (b *bench) settled(h *host) (confirmed bool, err error) {
	text, err := h.run(`cat /var/lib/unchoke/tune/journal.jsonl 2>/dev/null | tail -1 || true`)
	if err != nil {
		return false, err
	}
	if strings.Contains(text, `"event":"kept"`) {
		if cc := h.cc(); cc != "bbr" {
			return true, fmt.Errorf("%s is confirmed and has %s", h.name, cc)
		}
		return true, nil
	}
	h.await(func() bool { return b.untouched(h) == nil })
	if err := b.untouched(h); err != nil {
		return false, fmt.Errorf("%w; its journal ends with %s", err, text)
	}
	return false, nil
}

// newest is the newest rollout's file.
func (b *bench) newest() string {
	names, _ := filepath.Glob(filepath.Join(b.root, "state", "rollouts", "*.json"))
	newest := ""
	for _, n := range names {
		newest = max(newest, n)
	}
	return newest
}
