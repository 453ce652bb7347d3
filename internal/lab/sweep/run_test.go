package sweep

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"unchoke/internal/hint"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/sweep/language"
	"unchoke/internal/lab/sweep/store"
	"unchoke/internal/lab/traffic"
)

// fakeBatch makes runs whose figures follow from the run alone, as those of a
// lab machine do.
func fakeBatch(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
	for i, r := range b.Runs {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var series []traffic.Sample
		if r.Series > 0 {
			series = []traffic.Sample{{At: r.Series, Acked: r.Seed % 1000}}
		}
		if err := each(i, fakeResult(r), series); err != nil {
			return err
		}
	}
	return nil
}

func fakeResult(r traffic.Run) traffic.Result {
	h := fnv.New64a()
	fmt.Fprint(h, r.Seed, r.Path, r.CC, r.Spec.Kind)
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	spread := 0.02
	if r.Path.Up.Jitter > 0 {
		spread = 0.3
	}
	return traffic.Result{
		Throughput: 1e7 * (1 + spread*random.NormFloat64()), Bytes: random.Int64N(1e9),
		Elapsed: r.Spec.Duration, MeanRTT: time.Duration(random.Int64N(1e9)), CC: r.CC,
	}
}

const smallFile = `
name: small
traffic: {kind: bulk, duration: 10s}
paths: {rtt: [10ms, 20ms, 30ms], jitter: [0ms, 1ms]}
arms: {cc: [cubic, bbr]}
repeat: 7
`

func parse1(t testing.TB, text string) language.File {
	t.Helper()
	f, err := language.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func options(dir string, jobs int) Options {
	return Options{Dir: dir, Jobs: jobs, Name: store.Kernel{Key: "k", Version: "6.12"}, Version: "v1", RunBatch: fakeBatch}
}

// want runs a sweep at once and returns its runs.csv.
func want(t testing.TB, f language.File) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Run(t.Context(), f, options(dir, 1))
	if err != nil || !s.Complete {
		t.Fatalf("%v, complete %v", err, s.Complete)
	}
	return read(t, dir, store.RunsName)
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sweeps are what the tests of determinism run.
func sweeps(t testing.TB) map[string]language.File {
	tight := parse1(t, strings.Replace(smallFile, "repeat: 7", "repeat: 60\nuntil_ci: 5%", 1))
	return map[string]language.File{"every repetition": parse1(t, smallFile), "until tight": tight}
}

// Any number of machines gives the same bytes.
func TestJobs(t *testing.T) {
	for name, f := range sweeps(t) {
		once := want(t, f)
		if n := strings.Count(once, "\n") - 1; name == "every repetition" && n != f.Runs() || name != "every repetition" && (n >= f.Runs() || n < 12*5) {
			t.Errorf("%s: %d runs of %d", name, n, f.Runs())
		}
		for jobs := 2; jobs < 5; jobs++ {
			dir := t.TempDir()
			if _, err := Run(t.Context(), f, options(dir, jobs)); err != nil {
				t.Fatal(err)
			}
			if read(t, dir, store.RunsName) != once {
				t.Errorf("%s: %d jobs give other bytes", name, jobs)
			}
		}
	}
}

// Shards, merged in any order and some of them twice, give the bytes of the
// whole.
func TestShardsAndMerge(t *testing.T) {
	for name, f := range sweeps(t) {
		f.Series = time.Second
		once := want(t, f)
		for _, n := range []int{1, 3, 7} {
			var dirs []string
			for i := range n {
				o := options(t.TempDir(), 2)
				o.Shard = grid.Shard{I: i + 1, N: n}
				s, err := Run(t.Context(), f, o)
				if err != nil || !s.Complete {
					t.Fatalf("%s: shard %v: %v, complete %v", name, o.Shard, err, s.Complete)
				}
				dirs = append(dirs, o.Dir)
			}
			slices.Reverse(dirs)
			out := filepath.Join(t.TempDir(), "merged")
			s, err := Merge(append(dirs, dirs[0]), out)
			if err != nil || !s.Complete || s.Shard != "" {
				t.Fatalf("%s: merge of %d: %v, complete %v", name, n, err, s.Complete)
			}
			if read(t, out, store.RunsName) != once {
				t.Errorf("%s: %d shards merged give other bytes", name, n)
			}
			results, err := store.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range results.Rows {
				if samples, err := results.Series(row); err != nil || len(samples) != 1 || samples[0].Acked != row.Seed%1000 {
					t.Fatalf("series of a merged run: %v, %v", samples, err)
				}
			}
		}
	}
}

// A merge of some shards is a beginning that a run completes.
func TestMergeOfSomeShards(t *testing.T) {
	f := parse1(t, smallFile)
	o := options(t.TempDir(), 1)
	o.Shard = grid.Shard{I: 2, N: 3}
	if _, err := Run(t.Context(), f, o); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	s, err := Merge([]string{o.Dir}, out)
	if err != nil || s.Complete || s.Runs == 0 || s.PlannedRuns != f.Runs() {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := Run(t.Context(), f, options(out, 1)); err != nil {
		t.Fatal(err)
	}
	if read(t, out, store.RunsName) != want(t, f) {
		t.Error("other bytes")
	}
}

func TestMergeRefuses(t *testing.T) {
	f := parse1(t, smallFile)
	run := func(f language.File, change func(*Options)) string {
		t.Helper()
		o := options(t.TempDir(), 1)
		change(&o)
		if _, err := Run(t.Context(), f, o); err != nil {
			t.Fatal(err)
		}
		return o.Dir
	}
	first := run(f, func(*Options) {})
	other := parse1(t, strings.Replace(smallFile, "30ms", "31ms", 1))
	for name, dir := range map[string]string{
		"sweep":   run(other, func(*Options) {}),
		"kernel":  run(f, func(o *Options) { o.Name.Key = "l" }),
		"version": run(f, func(o *Options) { o.Version = "v2" }),
	} {
		if _, err := Merge([]string{first, dir}, t.TempDir()); !errors.Is(err, store.ErrOther) || !strings.Contains(err.Error(), name) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	if _, err := Merge([]string{first, t.TempDir()}, t.TempDir()); !errors.Is(err, store.ErrNoResults) {
		t.Errorf("an empty directory: %v", err)
	}
	differs := run(f, func(o *Options) {
		o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
			return fakeBatch(ctx, b, func(i int, r traffic.Result, s []traffic.Sample) error {
				r.Retransmits++
				return each(i, r, s)
			})
		}
	})
	_, err := Merge([]string{first, differs}, t.TempDir())
	conflict, ok := errors.AsType[*store.ConflictError](err)
	if !ok || conflict.Before == conflict.Now || conflict.Hint() == "" {
		t.Errorf("other results: %v", err)
	}
}

// Killed at any byte of what it writes, a sweep goes on with nothing lost or
// doubled.
func TestKilledAnywhere(t *testing.T) {
	f := parse1(t, strings.NewReplacer("repeat: 7", "repeat: 2", ", 30ms", "").Replace(smallFile))
	once := want(t, f)
	// What a process that ran two machines had written when it was killed.
	o := options(t.TempDir(), 1)
	g, err := f.Grid()
	if err != nil {
		t.Fatal(err)
	}
	st, _, err := store.Begin(o.Dir, g, store.Summary{Name: f.Name, Version: o.Version, Kernel: o.Name, Sweep: string(f.YAML())})
	if err != nil {
		t.Fatal(err)
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(f.Runs())
	for _, n := range order {
		id := grid.RunID{Cell: n / 2, Repetition: n % 2}
		c := g.Cells[id.Cell]
		r := traffic.Run{Path: c.Path, Seed: c.Seed(id.Repetition), Spec: c.Traffic, CC: c.Arm.CC}
		if _, err := st.Add(id, fakeResult(r), nil); err != nil {
			t.Fatal(err)
		}
	}
	st.Close()
	written := read(t, o.Dir, store.RunsName)
	first := strings.Index(written, "\n") + 1
	for cut := first; cut <= len(written); cut++ {
		// The beginning of a line byte by byte, the ends of all, and some between.
		if end := cut > 0 && written[cut-1] == '\n' || cut < len(written) && written[cut] == '\n'; !end && cut%41 != 0 && cut > first+40 {
			continue
		}
		if err := os.WriteFile(filepath.Join(o.Dir, store.RunsName), []byte(written[:cut]), 0o666); err != nil {
			t.Fatal(err)
		}
		made := 0
		o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
			made += len(b.Runs)
			return fakeBatch(ctx, b, each)
		}
		if _, err := store.Open(o.Dir); err != nil {
			t.Fatalf("cut at %d: open: %v", cut, err)
		}
		if _, err := Run(t.Context(), f, o); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if read(t, o.Dir, store.RunsName) != once {
			t.Fatalf("cut at %d: other bytes", cut)
		}
		if cut == len(written) && made != 0 {
			t.Errorf("%d runs made again where all were there", made)
		}
	}
}

// Interrupted again and again, by an error of a machine or from outside, a
// sweep comes to the same end.
func TestInterrupted(t *testing.T) {
	for name, f := range sweeps(t) {
		once := want(t, f)
		dir := t.TempDir()
		broken := errors.New("the machine was killed")
		for try := 1; ; try++ {
			ctx, cancel := context.WithCancelCause(t.Context())
			var left atomic.Int64
			left.Store(int64(10 + try))
			o := options(dir, 2)
			o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
				return fakeBatch(ctx, b, func(i int, r traffic.Result, s []traffic.Sample) error {
					if left.Add(-1) < 0 {
						if try%2 == 0 {
							return broken
						}
						cancel(context.Canceled)
					}
					return each(i, r, s)
				})
			}
			s, err := Run(ctx, f, o)
			cancel(nil)
			if err == nil {
				if !s.Complete {
					t.Errorf("%s: no error, and not complete", name)
				}
				break
			}
			if s.Complete || !errors.Is(err, broken) && !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v, complete %v", name, err, s.Complete)
			}
			results, err := store.Open(dir)
			if err != nil || len(results.Rows) != s.Runs || results.Summary.Complete {
				t.Fatalf("%s: %d rows after %d runs, %v", name, len(results.Rows), s.Runs, err)
			}
			if try > 200 {
				t.Fatalf("%s: no end", name)
			}
		}
		if read(t, dir, store.RunsName) != once {
			t.Errorf("%s: other bytes", name)
		}
	}
}

// A machine that gives other figures the second time is found out.
func TestNotDeterministic(t *testing.T) {
	f := parse1(t, smallFile)
	dir := t.TempDir()
	o := options(dir, 1)
	stop := errors.New("stop")
	n := 0
	o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
		return fakeBatch(ctx, b, func(i int, r traffic.Result, s []traffic.Sample) error {
			if n++; n == 3 {
				return stop
			}
			return each(i, r, s)
		})
	}
	if _, err := Run(t.Context(), f, o); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
		return fakeBatch(ctx, b, func(i int, r traffic.Result, s []traffic.Sample) error {
			r.Bytes++
			return each(i, r, s)
		})
	}
	if _, err := Run(t.Context(), f, o); err == nil || !strings.Contains(err.Error(), "came out differently") {
		t.Errorf("error %v", err)
	}
}

func TestOtherDirectory(t *testing.T) {
	f := parse1(t, smallFile)
	dir := t.TempDir()
	if _, err := Run(t.Context(), f, options(dir, 1)); err != nil {
		t.Fatal(err)
	}
	other := parse1(t, strings.Replace(smallFile, "30ms", "31ms", 1))
	for name, c := range map[string]struct {
		file   language.File
		change func(*Options)
	}{
		"another sweep":  {other, func(*Options) {}},
		"another kernel": {f, func(o *Options) { o.Name.Key = "other" }},
		"version":        {f, func(o *Options) { o.Version = "v2" }},
		"shard":          {f, func(o *Options) { o.Shard = grid.Shard{I: 1, N: 2} }},
	} {
		o := options(dir, 1)
		c.change(&o)
		if _, err := Run(t.Context(), c.file, o); !errors.Is(err, store.ErrOther) {
			t.Errorf("%s: %v", name, err)
		}
	}
	loose := t.TempDir()
	if err := os.WriteFile(filepath.Join(loose, store.RunsName), []byte("a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), f, options(loose, 1)); !errors.Is(err, store.ErrOther) {
		t.Errorf("runs of nobody: %v", err)
	}
	if got := read(t, loose, store.RunsName); got != "a,b\n1,2\n" {
		t.Errorf("runs of nobody were changed: %q", got)
	}
}

func TestTwoRunsInOneDirectory(t *testing.T) {
	f := parse1(t, smallFile)
	dir := t.TempDir()
	o := options(dir, 1)
	o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
		if _, err := Run(ctx, f, options(dir, 1)); !errors.Is(err, store.ErrLocked) {
			t.Errorf("the second: %v", err)
		}
		return fakeBatch(ctx, b, each)
	}
	if _, err := Run(t.Context(), f, o); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedRuns(t *testing.T) {
	f := parse1(t, smallFile)
	for name, damage := range map[string]func(string) string{
		"a header of others": func(s string) string { return "x" + s },
		"another seed":       func(s string) string { return strings.Replace(s, "\n0,0,", "\n0,0,9", 1) },
		"no such cell":       func(s string) string { return strings.Replace(s, "\n0,0,", "\n99,0,", 1) },
		"no such repetition": func(s string) string { return strings.Replace(s, "\n0,0,", "\n0,7,", 1) },
		"a hole": func(s string) string {
			return strings.Replace(s, ",bulk", "", 1)[:len(s)/2] + strings.Repeat("\x00", 100) + "\n"
		},
	} {
		dir := t.TempDir()
		if _, err := Run(t.Context(), f, options(dir, 1)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, store.RunsName), []byte(damage(read(t, dir, store.RunsName))), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), f, options(dir, 1)); err == nil {
			t.Errorf("%s: taken for good", name)
		}
	}
}

func TestFailedRun(t *testing.T) {
	o := options(t.TempDir(), 1)
	o.RunBatch = func(ctx context.Context, b traffic.Batch, each func(int, traffic.Result, []traffic.Sample) error) error {
		for i, r := range b.Runs[:3] {
			if err := each(i, fakeResult(r), nil); err != nil {
				return err
			}
		}
		return &traffic.RunError{Run: 3, Message: "no such algorithm", Next: "another kernel"}
	}
	s, err := Run(t.Context(), parse1(t, smallFile), o)
	if err == nil || err.Error() != `path "rtt=10ms", arm "cc=cubic", repetition 3: no such algorithm` {
		t.Errorf("error %v", err)
	}
	if hint.Of(err) != "another kernel" {
		t.Errorf("the hint is lost: %v", err)
	}
	if s.Runs != 3 {
		t.Errorf("%d runs kept, want 3", s.Runs)
	}
}

func TestSummary(t *testing.T) {
	f := parse1(t, smallFile)
	dir := t.TempDir()
	var last Progress
	o := options(dir, 1)
	o.Progress = func(p Progress) { last = p }
	if _, err := Run(t.Context(), f, o); err != nil {
		t.Fatal(err)
	}
	if last.Runs != f.Runs() || last.Planned != f.Runs() || last.Left != 0 {
		t.Errorf("last progress %+v", last)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Summary
	if s.Schema != store.Schema || s.Name != "small" || !s.Complete || s.Runs != 84 || s.PlannedRuns != 84 || s.VirtualS != 840 || s.WallS <= 0 || s.SpeedFactor <= 0 {
		t.Errorf("summary %+v", s)
	}
	c := s.Cells[3]
	if c.Cell != 3 || c.Path != "rtt=10ms,jitter=1ms" || c.Arm != "cc=bbr" || c.Axes["path.jitter"] != "1ms" || c.Runs != 7 {
		t.Errorf("cell %+v", c)
	}
	if !(*c.LowBPS < *c.MeanBPS && *c.MeanBPS < *c.HighBPS && *c.CV > 0) {
		t.Errorf("cell's figures %v %v %v, %v", *c.LowBPS, *c.MeanBPS, *c.HighBPS, *c.CV)
	}
}
