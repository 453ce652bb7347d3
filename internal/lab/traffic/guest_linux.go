package traffic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab/network"
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
	debug.SetGCPercent(-1) // tidy collects
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for i, r := range runs {
		tidy(r)
		rep := report{Run: i}
		rep.Result, rep.Series, err = r.make(dir)
		if err != nil {
			rep.Failed = &RunError{Run: i, Message: err.Error()}
			var hinter interface{ Hint() string }
			if errors.As(err, &hinter) {
				rep.Failed.Next = hinter.Hint()
			}
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

// tidy collects garbage between runs, with one P alone. With several, the
// collector waits for its other threads by spinning; where no virtual time
// passes, the kernel never lets them run. Afterwards there is a P for each of
// the run's threads: one in a system call may keep its own until sysmon takes
// it, and the others must not wait for that.
func tidy(r Run) {
	runtime.GOMAXPROCS(1)
	runtime.GC()
	const threads, spare = 3, 8 // of a flow; of Go itself
	runtime.GOMAXPROCS(threads*(max(1, r.Streams)+1) + spare)
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
	start, err := nextBeat()
	if err != nil {
		return Result{}, nil, err
	}
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
	if failed = errors.Join(failed, n.End()); failed != nil {
		return Result{}, nil, failed
	}
	accounts := make([]account, len(flows))
	for i, f := range flows {
		accounts[i] = f.account
	}
	result := resultOf(accounts[:measured], r.Spec.Omit)
	if r.Neighbor != "" {
		result.NeighborThroughput, _, _ = accounts[measured].rate(r.Spec.Omit)
	}
	return result, seriesOf(accounts[0]), nil
}

// maxChain is how many steps the rings of a run link, at most: as many as one
// ring takes (IORING_MAX_ENTRIES), so that a run of ten seconds wakes its
// program a handful of times. Each time costs some hundred system calls:
// after one, Go's monitor polls every 20 µs for a while.
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

// seedParameter is where a lab kernel takes a new seed for its random numbers.
const seedParameter = "/sys/module/random/parameters/seed"

// reseed starts the kernel's random numbers anew. A kernel that was not built
// by lab/kernel goes on with those it has.
func reseed(seed uint64) error {
	parameter, err := os.OpenFile(seedParameter, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = parameter.Write(strconv.AppendUint(nil, seed, 10))
		err = errors.Join(err, parameter.Close())
	}
	if err != nil {
		return fmt.Errorf("seed the kernel: %w", err)
	}
	return nil
}

// ccError is a congestion control that the kernel does not have.
type ccError struct {
	name, available string
}

func (e *ccError) Error() string { return fmt.Sprintf("no congestion control %q", e.name) }

// Hint lists what there is.
func (e *ccError) Hint() string { return "this kernel has " + e.available }

func setCC(fd int, name string) error {
	err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
	if errors.Is(err, unix.ENOENT) {
		known, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control") // a hint may be empty
		return &ccError{name, strings.TrimSpace(string(known))}
	}
	if err != nil {
		return fmt.Errorf("set the congestion control %s: %w", name, err)
	}
	return nil
}
