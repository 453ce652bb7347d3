package sweep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unchoke/internal/lab/sweep/language"
	"unchoke/internal/lab/traffic"
)

// killedVariable makes the test binary a process that makes killedFile's runs,
// feigned, into the directory that it names.
const killedVariable = "UNCHOKE_TEST_FEIGNED_SWEEP_DIR"

const killedFile = `
name: killed
series: 100ms
traffic: {duration: 1s}
paths: {rtt: [10ms, 20ms, 30ms, 40ms], loss: [0%, 1%, 2%]}
arms: {cc: [cubic, bbr]}
repeat: 10
`

// runKilled makes killedFile's runs, each of which takes its time.
func runKilled(ctx context.Context, dir string) error {
	f, err := language.Parse("killedFile", []byte(killedFile))
	if err != nil {
		return err
	}
	o := options(dir, 2)
	o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
		return fakeBatch(ctx, b, func(i int, r traffic.Result, _ []traffic.Sample) error {
			time.Sleep(time.Millisecond)
			series := make([]traffic.Sample, 10)
			for k := range series {
				series[k] = traffic.Sample{At: time.Duration(k) * 100 * time.Millisecond, Acked: b.Runs[i].Seed % 1000}
			}
			return each(i, r, series)
		})
	}
	s, err := Run(ctx, f, o)
	if err == nil && !s.Complete {
		err = errors.New("not complete")
	}
	return err
}

// Killed at moments drawn at random, from the first file that it makes to the
// last that it replaces, a sweep comes to what it would have been, and nothing
// else is left in its directory.
func TestKilledAtRandom(t *testing.T) {
	once := t.TempDir()
	if err := runKilled(t.Context(), once); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 4))
	kills := 0
	for round := range 6 {
		dir := filepath.Join(t.TempDir(), "out")
		// Longer from kill to kill: on a busy host a process takes as long as
		// all of its work to start.
		mean := float64(40 * time.Millisecond)
		for done := false; !done; mean *= 1.1 {
			child := exec.Command(os.Args[0])
			// The race detector would have every process wait a second for its end.
			child.Env = append(os.Environ(), killedVariable+"="+dir, "GORACE=atexit_sleep_ms=0")
			complaint := new(strings.Builder)
			child.Stderr = complaint
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- child.Wait() }()
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v after %d kills: %s", err, kills, complaint)
				}
				done = true
			case <-time.After(time.Duration(random.ExpFloat64() * mean)):
				kills++
				_ = child.Process.Kill() // it may have ended
				<-ended
			}
		}
		sameResults(t, dir, once)
		if a, b := files(t, dir), files(t, once); a != b {
			t.Errorf("round %d: the directory holds\n%s\nwant\n%s", round, a, b)
		}
	}
	t.Logf("killed %d times", kills)
	if kills < 20 {
		t.Errorf("killed %d times only", kills)
	}
}

// files lists the names in a directory and beneath.
func files(t *testing.T, dir string) string {
	t.Helper()
	var names strings.Builder
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		fmt.Fprintln(&names, strings.TrimPrefix(name, dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names.String()
}
