package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"unchoke/internal/lab/labtest"
	"unchoke/internal/lab/machine"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/sweep/language"
	"unchoke/internal/lab/sweep/store"
	"unchoke/internal/lab/traffic"
)

// childVariable makes the test binary a process that runs labFile into the
// directory that it names, which a test then kills.
const childVariable = "UNCHOKE_TEST_SWEEP_DIR"

func TestMain(m *testing.M) {
	machine.Main()
	traffic.Main()
	if dir := os.Getenv(childVariable); dir != "" {
		if err := runInLab(context.Background(), Options{Dir: dir, Jobs: 2}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(killedVariable); dir != "" {
		if err := runKilled(context.Background(), dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// labFile has what must not depend on where it runs: jitter that reorders,
// loss, a bottleneck, both kinds of congestion control, both sides of a
// bounded buffer, conditions that change.
const labFile = `
name: determinism
series: 500ms
repeat: 2
sweeps:
  - name: paced
    traffic: {kind: paced, rate: 10MiB/s, receive_buffer: 256KiB, read: 16KiB, read_every: 1ms, duration: 3s}
    paths: {rtt: [50ms], jitter: [0ms, 8ms], order: free, loss: [0%, 0.5%]}
    arms: {cc: [cubic, bbr]}
  - name: bulk
    traffic: {kind: bulk, duration: 3s}
    paths: {rtt: 20ms, rate: 20mbit}
    arms: {cc: [cubic, bbr], neighbor: [none, cubic]}
  - name: handovers
    traffic: {kind: chunked, rate: 5mbit, chunk: 500ms, duration: 3s}
    paths: {rtt: 27ms, jitter: 7ms, loss: 0.1%, rate: 50mbit, schedule: [{every: 1s, for: 200ms, rtt: +50ms, jitter: 40ms, loss: 1%}, {at: 1s, rate: 8mbit}]}
    arms: {cc: [cubic, bbr]}
`

func runInLab(ctx context.Context, o Options) error {
	f, err := language.Parse("labFile", []byte(labFile))
	if err != nil {
		return err
	}
	o.Version, o.Name = "test", store.Kernel{Key: "the same"}
	s, err := Run(ctx, f, o)
	if err == nil && !s.Complete {
		err = errors.New("not complete")
	}
	return err
}

// One machine at a time, two, shards on several hosts and a process that is
// killed again and again: the same bytes.
func TestLabIsDeterministic(t *testing.T) {
	labtest.NeedKernel(t)
	once := t.TempDir()
	if err := runInLab(t.Context(), Options{Dir: once, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	// The seeds do their work: runs differ by their path's.
	results, err := store.Open(once)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := results.Rows[4], results.Rows[5]; a.Cell != b.Cell || a.Bytes == b.Bytes && a.Retransmits == b.Retransmits {
		t.Errorf("two repetitions on a path with loss are the same: %+v, %+v", a, b)
	}
	t.Run("two machines", func(t *testing.T) {
		dir := t.TempDir()
		if err := runInLab(t.Context(), Options{Dir: dir, Jobs: 2}); err != nil {
			t.Fatal(err)
		}
		sameResults(t, dir, once)
	})
	t.Run("shards", func(t *testing.T) {
		var dirs []string
		for i := range 3 {
			dir := t.TempDir()
			if err := runInLab(t.Context(), Options{Dir: dir, Jobs: 2, Shard: grid.Shard{I: i + 1, N: 3}}); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, dir)
		}
		out := t.TempDir()
		if _, err := Merge(dirs, out); err != nil {
			t.Fatal(err)
		}
		sameResults(t, out, once)
	})
	t.Run("killed", func(t *testing.T) {
		dir := t.TempDir()
		for runs := 1; runs <= 11; runs += 5 {
			killAfter(t, dir, runs)
		}
		if err := runInLab(t.Context(), Options{Dir: dir, Jobs: 2}); err != nil {
			t.Fatal(err)
		}
		sameResults(t, dir, once)
	})
}

// killAfter runs the sweep in a process of its own and kills it as soon as it
// has finished so many runs.
func killAfter(t *testing.T, dir string, runs int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+dir)
	var complaint bytes.Buffer
	child.Stderr = &complaint
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		data, err := os.ReadFile(filepath.Join(dir, store.RunsName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Count(data, []byte("\n")) > runs {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("ended before it was killed: %v\n%s", err, &complaint)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// sameResults compares the runs and the series of two directories.
func sameResults(t *testing.T, dir, want string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(want, store.SeriesName, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Error("no series")
	}
	for _, name := range append(names, filepath.Join(want, store.RunsName), filepath.Join(want, store.SweepName)) {
		name, err := filepath.Rel(want, name)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := read(t, dir, name), read(t, want, name); a != b {
			t.Errorf("%s differs:\n%s\nwant\n%s", name, a, b)
		}
	}
}

// A path on which no connection comes about is a result, and the others are
// made: the failed run is in runs.csv and in the summary, with 0 bit/s.
func TestImpossibleCell(t *testing.T) {
	labtest.NeedKernel(t)
	f, err := language.Parse("impossible", []byte("name: impossible\npaths: {rtt: 20ms, loss: [0%, 100%, 1%]}\ntraffic: {kind: bulk, duration: 3s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := Run(t.Context(), f, Options{Dir: dir, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Complete || s.Runs != 3 || s.FailedRuns != 1 || s.Cells[1].FailedRuns != 1 || *s.Cells[1].MeanBPS != 0 {
		t.Errorf("summary %+v", s)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		want := ""
		if i == 1 {
			want = "connect near to far: connection timed out"
		}
		if row.Failed != want || (row.Throughput == 0) != (want != "") {
			t.Errorf("%v: %v bit/s, failed %q, want %q", row.Path, row.Throughput, row.Failed, want)
		}
	}
}
