package traffic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/hint"
	"unchoke/internal/lab/cross"
	"unchoke/internal/lab/network"
	"unchoke/internal/lab/stage"
	"unchoke/internal/path"
)

// Main makes this process the traffic's where a machine's init started it as
// that, and then never returns. Elsewhere it returns at once. A program that
// runs traffic calls it first in main, a test in TestMain.
func Main() {
	order := os.Getenv(orderVariable)
	if order == "" {
		return
	}
	if err := makeRuns(order); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// makeRuns makes the batch's runs and reports each on standard output.
func makeRuns(order string) error {
	runs, err := decodeOrder(order)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := ownClock(); err != nil {
		return err
	}
	// Go's monitor wakes every 20 us while a goroutine is in a system call, until
	// the call's P is taken from it: at once where there is no other P that is
	// idle, and otherwise after 10 ms. So there is one.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(heapLimit)
	out := json.NewEncoder(os.Stdout)
	for i, r := range runs {
		collect()
		rep := report{Run: i}
		rep.Result, rep.Series, err = r.make(dir)
		if err != nil {
			rep.Failed = &RunError{Run: i, Message: err.Error(), Next: hint.Of(err)}
		}
		if err := out.Encode(rep); err != nil {
			return err
		}
		if rep.Failed != nil {
			return nil
		}
	}
	return nil
}

// What runs leave, a megabyte or two each of the article's, is collected between
// two of them once it is so much: a collection is a thousand readings of the
// clock. None is made while a run is under way, unless that run alone comes near
// what the machine has.
const (
	heapEnough = 64 << 20
	heapLimit  = 512 << 20
)

func collect() {
	size := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(size)
	if size[0].Value.Uint64() > heapEnough {
		runtime.GC()
	}
}

// make makes one run.
func (r Run) make(dir string) (Result, []Sample, error) {
	if err := begin(r.Seed); err != nil {
		return Result{}, nil, err
	}
	n, err := network.Build(network.Config{Path: r.Path, Seed: r.Seed, Dir: dir, NoIPv6: r.Path.Tunnel != path.IP6GRE})
	if err != nil {
		return Result{}, nil, fmt.Errorf("build the network: %w", err)
	}
	defer n.Close()
	if err := errors.Join(
		n.Near.Do(func() error { return stage.Set("near", r.Near.sysctls()) }),
		n.Far.Do(func() error { return stage.Set("far", r.Far.sysctls()) }),
	); err != nil {
		return Result{}, nil, err
	}
	others, err := cross.Start(n, r.Path)
	if err != nil {
		return Result{}, nil, err
	}
	endOthers := sync.OnceValue(others.End)
	defer endOthers()
	start, err := nextBeat()
	if err != nil {
		return Result{}, nil, err
	}
	start += (cross.WarmUp(r.Path) + beat - 1) / beat * beat
	chain := maxChain / (max(1, r.Streams) + 1)
	var flows []*flow
	defer func() {
		for _, f := range flows {
			f.close()
		}
	}()
	for i := range max(1, r.Streams) {
		series := time.Duration(0)
		if i == 0 {
			series = r.Series
		}
		f, err := newFlow(n, i, chain, r.Spec, r.CC, series, start)
		if err != nil {
			return Result{}, nil, err
		}
		flows = append(flows, f)
	}
	measured := len(flows)
	if r.Neighbor != "" {
		beside := Spec{Kind: Bulk, Duration: r.Spec.Duration, Omit: r.Spec.Omit}
		f, err := newFlow(n, measured, chain, beside, r.Neighbor, 0, start)
		if err != nil {
			return Result{}, nil, err
		}
		flows = append(flows, f)
	}
	others.Begin(start)
	if err := n.Begin(start); err != nil {
		return Result{}, nil, err
	}
	if err := sleepUntil(start - beat/2); err != nil {
		return Result{}, nil, err
	}
	if err := reseed(r.Seed); err != nil {
		return Result{}, nil, err
	}
	errs := make(chan error)
	for _, f := range flows {
		go func() { errs <- f.run() }()
	}
	var failed error
	for range flows {
		failed = errors.Join(failed, <-errs)
	}
	if failed = errors.Join(failed, n.End(), endOthers()); failed != nil {
		return Result{}, nil, failed
	}
	accounts := make([]account, len(flows))
	for i, f := range flows {
		accounts[i] = f.account
	}
	result := resultOf(accounts[:measured], r.Spec.Omit)
	if r.Neighbor != "" {
		beside := accounts[measured]
		result.NeighborThroughput, _, _ = beside.rate(r.Spec.Omit)
		if beside.failed != "" {
			result.Failed = cmp.Or(result.Failed, "neighbor: "+beside.failed)
		}
	}
	return result, seriesOf(accounts[0]), nil
}

// maxChain is how many steps the rings of a run link, at most: as many as one
// ring takes (IORING_MAX_ENTRIES), so that a run of ten seconds wakes its
// program a handful of times, each of which costs some dozens of system calls.
const maxChain = 32 << 10

// beat is the grid of the monotonic clock on which runs begin. The kernel's
// timers expire on grids of the clock's ticks, the coarser the later they are
// due: of 8, 64, 512 and 4096 ticks of 1 ms (LVL_GRAN in kernel/time/timer.c).
// On this one, all have the same place in every run.
const beat = 4096 * time.Millisecond

// nextBeat is a time of the monotonic clock, far enough ahead to prepare.
func nextBeat() (time.Duration, error) {
	t, err := now()
	return t - t%beat + 2*beat, err
}

// begin waits until what the run before left has ended, and starts the
// kernel's random numbers anew.
func begin(seed uint64) error {
	t, err := nextBeat()
	if err != nil {
		return err
	}
	if err := sleepUntil(t); err != nil {
		return err
	}
	return reseed(seed)
}

// reseed starts the kernel's random numbers anew.
func reseed(seed uint64) error {
	return setParameter("/sys/module/random/parameters/seed", seed)
}

// ownClock makes reading the clock take no time, as long as the machine is idle
// now and then: how often Go's runtime reads it must not reach the traffic.
func ownClock() error {
	const freeReads = 4096 // each time that the machine was idle
	return setParameter("/sys/module/time/parameters/free_reads", freeReads)
}

// setParameter sets a parameter of a lab kernel. One that was not built by
// lab/kernel does without.
func setParameter(name string, value uint64) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err == nil {
		_, err = unix.Write(fd, strconv.AppendUint(nil, value, 10))
		err = errors.Join(err, unix.Close(fd))
	}
	if err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}
