package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"unchoke/internal/fleet"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/tools/tool"
)

// bench rolls out, looks at the hosts, and counts.
type bench struct {
	program, root string
	ansible       string
	shown         *progress
	rounds        int
	save          string
	out           io.Writer
	seed          uint64
	hosts         []*host
	keys          *sshd.Server
	runs          int
}

// step is a part of the bench. Most begin with hosts as they were, and what they
// change is taken back after them.
type step struct {
	name     string
	do       func(context.Context) error
	measures bool // paths, which takes longer
	touches  bool // hosts
	ansible  bool // is timed
}

func (b *bench) run(ctx context.Context, kills int) error {
	steps := []step{
		{"refused before anything is touched", b.refusal, false, true, false},
		{"fleet plan beside ansible -m setup", b.beside, false, false, true},
		{"a mesh of four, two of them apart", b.mesh, true, false, false},
		{"a host that dies in the middle", b.death, false, true, false},
		{"a host that becomes slower", b.slower, true, true, false},
		{"to the end, with what is left out", b.whole, false, true, false},
	}
	for _, line := range b.shown.Told {
		fmt.Fprintln(b.out, line)
	}
	for _, s := range steps {
		if slices.Contains(b.shown.Parts, s.name) {
			continue
		}
		if s.measures && b.rounds == 0 || s.ansible && b.ansible == "" {
			b.tell("%-40s left out", s.name)
			continue
		}
		began := time.Now()
		err := s.do(ctx)
		b.tell("%-40s %s  %5.1f s", s.name, answer(err), time.Since(began).Seconds())
		if err != nil {
			b.shown.Wrong++
			b.tell("  %v", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.touches {
			if err := b.revertAll(ctx); err != nil {
				return err
			}
		}
		b.shown.Parts = append(b.shown.Parts, s.name)
		if err := b.shown.keep(); err != nil {
			return err
		}
	}
	return b.kill(ctx, kills)
}

func answer(err error) string {
	if err != nil {
		return "WRONG"
	}
	return "right"
}

func (b *bench) tell(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	fmt.Fprintln(b.out, line)
	b.shown.Told = append(b.shown.Told, line)
}

// unchoke runs a command line, and reads the rollout that it prints.
func (b *bench) unchoke(ctx context.Context, args ...string) (r *fleet.Rollout, status int, err error) {
	cmd := b.command(ctx, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // its status tells
	status = cmd.ProcessState.ExitCode()
	b.runs++
	if b.save != "" {
		_ = os.WriteFile(filepath.Join(b.save, fmt.Sprintf("%02d-%s.json", b.runs, args[1])), out.Bytes(), 0o644)
	}
	r = &fleet.Rollout{}
	if json.Unmarshal(out.Bytes(), r) != nil || r.Schema == "" {
		return nil, status, fmt.Errorf("%v: status %d: %s", args, status, said.String())
	}
	return r, status, nil
}

func (b *bench) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.program, append(args, "--json")...)
	cmd.Env = append(os.Environ(), "UNCHOKE_STATE_DIR="+filepath.Join(b.root, "state"))
	return cmd
}

// apply are the arguments of a rollout.
func (b *bench) apply(more ...string) []string {
	return append([]string{"fleet", "apply", "--hosts", b.inventory(), "--remedy", "bbr", "--yes", "--timeout", "30s", "--seconds", "0.5"}, more...)
}

// leftOut are the hosts that a preflight refuses.
func leftOut(i int) bool { return broken[i].kind != "" }

// untouched returns nil where a host is as it was.
func (b *bench) untouched(h *host) error {
	now, err := h.run(stateScript)
	if err == nil && now != h.before {
		err = fmt.Errorf("%s is not as it was:\n%s\nwas\n%s", h.name, now, h.before)
	}
	return err
}

// as returns nil where the hosts that a rollout calls changed are, and all others
// are as they were.
func (b *bench) as(r *fleet.Rollout, timers bool) error {
	return b.each(func(i int, h *host) error {
		switch r.Entries[i].Stage {
		case fleet.Kept:
			if cc := h.cc(); cc != "bbr" {
				return fmt.Errorf("%s is kept, and has %q", h.name, cc)
			}
			return nil
		case fleet.Adrift:
			if timers { // what is true of it, its own journal says
				_, err := b.settled(h)
				return err
			}
		}
		return b.untouched(h)
	})
}

// each asks all hosts something, several at once.
func (b *bench) each(ask func(i int, h *host) error) error {
	wrong := make([]error, len(b.hosts))
	var numbers []int
	for i := range b.hosts {
		numbers = append(numbers, i)
	}
	tool.Each(context.Background(), 8, numbers, func(i int) { wrong[i] = ask(i, b.hosts[i]) })
	return errors.Join(wrong...)
}

// await waits for a condition as long as any timer takes.
func (h *host) await(is func() bool) {
	for range 90 {
		if is() {
			return
		}
		time.Sleep(time.Second)
	}
}

func (b *bench) refusal(ctx context.Context) error {
	r, status, err := b.unchoke(ctx, b.apply("--rounds", fmt.Sprint(b.rounds))...)
	if err != nil {
		return err
	}
	if status != 6 || r.Halt == nil || r.Halt.Batch >= 0 {
		return fmt.Errorf("status %d, halt %+v", status, r.Halt)
	}
	for i, e := range r.Entries {
		if refused := e.Verdict.Fitness == fleet.Refused; refused != leftOut(i) {
			return fmt.Errorf("%s: %+v", e.Host, e.Verdict)
		}
		if leftOut(i) {
			b.tell("  %s (%s): %s: %s", e.Host, broken[i].kind, e.Verdict.Reasons[0].Code, e.Verdict.Reasons[0].What)
		}
	}
	return b.as(r, false)
}

// when does something once a host has other settings, until ctx ends.
func (b *bench) when(ctx context.Context, h *host, do func()) (done chan bool) {
	done = make(chan bool, 1)
	go func() {
		for ctx.Err() == nil {
			if h.cc() == "bbr" {
				do()
				done <- true
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		done <- false
	}()
	return done
}

// death: a host's sshd, with all its sessions, dies as soon as something was
// changed there.
func (b *bench) death(ctx context.Context) error {
	h := b.hosts[dying]
	watch, stop := context.WithCancel(ctx)
	defer stop()
	died := b.when(watch, h, func() {
		_, _ = h.run("for p in /proc/[0-9]*; do case $(readlink $p/exe) in */sshd*) kill -9 ${p#/proc/} || true;; esac; done")
		_ = h.sshd.Wait()
	})
	r, status, err := b.unchoke(ctx, b.apply("--rounds", "0", "--skip-refused")...)
	stop()
	if err != nil {
		return err
	}
	if !<-died || r.Halt == nil || r.Halt.Host != h.name || status != 1 && status != 5 {
		return fmt.Errorf("status %d, halt %+v", status, r.Halt)
	}
	b.tell("  halted in batch %d of %d: %s", r.Halt.Batch+1, len(r.Batches), r.Halt.Why)
	err = b.as(r, true)
	return errors.Join(err, h.serve(b.keys))
}

// slower: what a host receives becomes slower as soon as something was changed
// there.
func (b *bench) slower(ctx context.Context) error {
	h := b.hosts[slowing]
	watch, stop := context.WithCancel(ctx)
	defer stop()
	slowed := b.when(watch, h, func() { _ = h.rate(slowRate) })
	r, status, err := b.unchoke(ctx, b.apply("--rounds", fmt.Sprint(b.rounds), "--skip-refused")...)
	stop()
	_ = h.rate(pathRate)
	if err != nil {
		return err
	}
	if !<-slowed || status != 5 || r.Halt == nil || r.Halt.Host != h.name {
		return fmt.Errorf("status %d, halt %+v", status, r.Halt)
	}
	b.tell("  halted in batch %d of %d: %s", r.Halt.Batch+1, len(r.Batches), r.Halt.Why)
	return b.as(r, false)
}

func (b *bench) whole(ctx context.Context) error {
	began := time.Now()
	r, status, err := b.unchoke(ctx, b.apply("--rounds", "0", "--skip-refused")...)
	if err != nil {
		return err
	}
	if status != 0 || !r.Done {
		return fmt.Errorf("status %d, halt %+v", status, r.Halt)
	}
	b.shown.Took = time.Since(began)
	if err := b.as(r, false); err != nil {
		return err
	}
	again, status, err := b.unchoke(ctx, b.apply("--rounds", "0", "--skip-refused")...)
	if err != nil || status != 0 || !again.Done || len(again.Batches) != 0 {
		return fmt.Errorf("once more: status %d, %v, batches %v", status, err, again)
	}
	return nil
}

// revertAll takes everything back, and looks whether it is.
func (b *bench) revertAll(ctx context.Context) error {
	cmd := b.command(ctx, "fleet", "revert", "--yes", "--hosts", b.inventory())
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 4 {
		return fmt.Errorf("revert: %w: %s", err, out)
	}
	if err := b.each(func(_ int, h *host) error { return b.untouched(h) }); err != nil {
		return fmt.Errorf("after fleet revert: %w", err)
	}
	return nil
}
