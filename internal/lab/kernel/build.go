package kernel

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Options say what to build.
type Options struct {
	Dir      string   // where kernels are kept; see Dir
	Source   string   // a source tree or archive; empty: the newest package's
	Patches  []string // files, or directories of *.patch and *.diff in order of name
	Jobs     int      // of make; 0: one a CPU
	Progress func(Progress)
}

// A Phase is a part of the build.
type Phase string

// The phases in their order.
const (
	Unpacking   Phase = "unpack"
	Configuring Phase = "configure"
	Compiling   Phase = "compile"
)

// Progress is how far a phase is. Total is an estimate when compiling; Done
// never exceeds it.
type Progress struct {
	Phase       Phase
	Done, Total int64
}

// BuildError is a step that failed, with what it said last.
type BuildError struct {
	Step string
	Log  string // the file that has everything
	Tail string
	Err  error
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("build the lab kernel: %s: %v\n%s", e.Step, e.Err, e.Tail)
}

func (e *BuildError) Unwrap() error { return e.Err }

// Hint tells where the whole log is.
func (e *BuildError) Hint() string { return "the whole log is in " + e.Log }

// Build builds the kernel that opts describe, unless it is built already, and
// returns it. Builds of one user wait for each other. A cancelled or failed
// build leaves only its log.
func Build(ctx context.Context, opts Options) (Info, error) {
	if opts.Progress == nil {
		opts.Progress = func(Progress) {}
	}
	if err := CheckTools(opts); err != nil {
		return Info{}, err
	}
	path := opts.Source
	if path == "" {
		var err error
		if path, err = FindSource(); err != nil {
			return Info{}, err
		}
	}
	src, err := openSource(path)
	if err != nil {
		return Info{}, err
	}
	patches, err := patchFiles(opts.Patches)
	if err != nil {
		return Info{}, err
	}
	id, err := src.identity(ctx)
	if err != nil {
		return Info{}, fmt.Errorf("kernel source: %w", err)
	}
	key, err := buildKey(id, patches)
	if err != nil {
		return Info{}, err
	}

	if err := os.MkdirAll(opts.Dir, 0o755); err != nil {
		return Info{}, fmt.Errorf("build the lab kernel: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(opts.Dir, ".lock"))
	if err != nil {
		return Info{}, fmt.Errorf("build the lab kernel: %w", err)
	}
	defer unlock()
	final := filepath.Join(opts.Dir, key)
	if info, err := readInfo(final); err == nil {
		return info, nil
	}

	b := &builder{Options: opts, src: src, patches: patches, work: filepath.Join(opts.Dir, ".build")}
	defer os.RemoveAll(b.work)
	info, err := b.build(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return Info{}, ctx.Err()
		}
		return Info{}, err
	}
	info.Key, info.Path = key, filepath.Join(final, imageName)
	if info.SourceName = packageOf(ctx, src.path); src.archive {
		info.SourceHash = id
	}
	if err := b.install(info, final); err != nil {
		return Info{}, fmt.Errorf("keep the lab kernel: %w", err)
	}
	return info, nil
}

func buildKey(id string, patches []string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s", recipe(), id)
	for _, p := range patches {
		data, err := os.ReadFile(p)
		if err != nil {
			return "", fmt.Errorf("kernel patch: %w", err)
		}
		fmt.Fprintf(h, " %q", data)
	}
	return hex.EncodeToString(h.Sum(nil))[:keyLength], nil
}

// patchFiles expands directories to the patches in them.
func patchFiles(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("kernel patch: %w", err)
		}
		if !st.IsDir() {
			files = append(files, p)
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, fmt.Errorf("kernel patches: %w", err)
		}
		n := len(files)
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); ext == ".patch" || ext == ".diff" {
				files = append(files, filepath.Join(p, e.Name()))
			}
		}
		if len(files) == n {
			return nil, fmt.Errorf("kernel patches: no *.patch or *.diff in %s", p)
		}
	}
	return files, nil
}

type builder struct {
	Options
	src     source
	patches []string
	work    string // directory, removed at the end
	log     *os.File
}

func (b *builder) tree() string { return filepath.Join(b.work, "tree") }

func (b *builder) build(ctx context.Context) (Info, error) {
	start := time.Now()
	// What a killed build left.
	if err := os.RemoveAll(b.work); err != nil {
		return Info{}, err
	}
	if err := os.MkdirAll(b.work, 0o755); err != nil {
		return Info{}, err
	}
	var err error
	if b.log, err = os.Create(filepath.Join(b.work, logName)); err != nil {
		return Info{}, err
	}
	defer b.log.Close()

	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"unpack the source", b.unpack},
		{"patch", b.patch},
		{"configure", b.configure},
		{"compile", b.compile},
	}
	for _, s := range steps {
		fmt.Fprintf(b.log, "== %s\n", s.name)
		if err := s.do(ctx); err != nil {
			return Info{}, b.failure(s.name, err)
		}
	}
	return b.describe(ctx, start)
}

func (b *builder) unpack(ctx context.Context) error {
	report := func(done int64) { b.Progress(Progress{Unpacking, done, b.src.size}) }
	return b.src.unpack(ctx, b.tree(), b.log, report)
}

func (b *builder) patch(ctx context.Context) error {
	for _, p := range b.patches {
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		err = run(ctx, f, b.log, "patch", "-p1", "--batch", "--forward", "-d", b.tree())
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for _, e := range edits {
		if err := e.apply(b.tree()); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) configure(ctx context.Context) error {
	b.Progress(Progress{Configuring, 0, 1})
	if err := b.make(ctx, b.log, "tinyconfig"); err != nil {
		return err
	}
	path := filepath.Join(b.tree(), ".config")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, requiredConfig+optionalConfig); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := b.make(ctx, b.log, "olddefconfig"); err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	got, err := parseConfig(string(text))
	if err != nil {
		return err
	}
	want, err := parseConfig(requiredConfig)
	if err != nil {
		return err
	}
	if l := lost(want, got); len(l) > 0 {
		return fmt.Errorf("this source does not accept %v", l)
	}
	b.Progress(Progress{Configuring, 1, 1})
	return nil
}

// compiledFiles is how many lines make prints for Linux 6.12 in our
// configuration; only the progress bar depends on it.
const compiledFiles = 1525

func (b *builder) compile(ctx context.Context) error {
	done := int64(0)
	count := lineCounter(func() {
		done = min(done+1, compiledFiles)
		b.Progress(Progress{Compiling, done, compiledFiles})
	})
	if err := b.make(ctx, io.MultiWriter(b.log, count), "linux"); err != nil {
		return err
	}
	b.Progress(Progress{Compiling, compiledFiles, compiledFiles})
	return nil
}

func (b *builder) make(ctx context.Context, out io.Writer, target string) error {
	jobs := b.Jobs
	if jobs == 0 {
		jobs = runtime.NumCPU()
	}
	cmd := command(ctx, "make", "-C", b.tree(), "ARCH=um", fmt.Sprintf("-j%d", jobs), target)
	// A caller's own make, ARCH or KBUILD_OUTPUT must not direct ours.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "MAKEFLAGS" || name == "MFLAGS" || name == "MAKELEVEL" || name == "ARCH" ||
			name == "CROSS_COMPILE" || strings.HasPrefix(name, "KBUILD_") || strings.HasPrefix(name, "KCONFIG_")
	})
	// Of the same source the same kernel: who built it, when and where is not in it.
	cmd.Env = append(cmd.Env, "LC_ALL=C", "KBUILD_BUILD_TIMESTAMP=@0", "KBUILD_BUILD_VERSION=1", "KBUILD_BUILD_USER=unchoke", "KBUILD_BUILD_HOST=lab")
	cmd.Stdout, cmd.Stderr = out, b.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("make %s: %w", target, err)
	}
	return nil
}

func (b *builder) describe(ctx context.Context, start time.Time) (Info, error) {
	image := filepath.Join(b.tree(), imageName)
	st, err := os.Stat(image)
	if err != nil {
		return Info{}, err
	}
	version, err := exec.CommandContext(ctx, image, "--version").Output()
	if err != nil {
		return Info{}, fmt.Errorf("run the new kernel: %w", err)
	}
	// Kernels from 6.16 on can run their processes under seccomp, with fewer
	// context switches than under ptrace; they say so in their help.
	help, err := exec.CommandContext(ctx, image, "--help").Output()
	if err != nil && len(help) == 0 {
		return Info{}, fmt.Errorf("run the new kernel: %w", err)
	}
	return Info{
		Schema:     Schema,
		Version:    strings.TrimSpace(string(version)),
		SizeBytes:  st.Size(),
		Source:     b.src.path,
		Patches:    b.patches,
		Edits:      editNames(),
		Recipe:     recipe(),
		Seccomp:    bytes.Contains(help, []byte("seccomp=")),
		BuiltAt:    time.Now().UTC().Truncate(time.Second),
		BuildTimeS: time.Since(start).Seconds(),
	}, nil
}

// install puts the kernel and what describes it into place at once.
func (b *builder) install(info Info, final string) error {
	stage := filepath.Join(b.work, "out")
	if err := os.Mkdir(stage, 0o755); err != nil {
		return err
	}
	moves := []struct{ from, to string }{
		{filepath.Join(b.tree(), imageName), imageName},
		{filepath.Join(b.tree(), ".config"), configName},
		{b.log.Name(), logName},
	}
	for _, m := range moves {
		if err := os.Rename(m.from, filepath.Join(stage, m.to)); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(stage, infoName), append(data, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	return os.Rename(stage, final)
}

// tailLines of the log are shown when a build fails.
const tailLines = 15

// failure keeps the log of a failed build and quotes its end.
func (b *builder) failure(step string, err error) error {
	var missing *MissingError
	if errors.As(err, &missing) || errors.Is(err, context.Canceled) {
		return err
	}
	kept := filepath.Join(b.Dir, "failed.log")
	text, readErr := os.ReadFile(b.log.Name())
	if readErr != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	if writeErr := os.WriteFile(kept, text, 0o644); writeErr != nil {
		return fmt.Errorf("%s: %w", step, err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	tail := lines[max(0, len(lines)-tailLines):]
	return &BuildError{Step: step, Log: kept, Tail: strings.Join(tail, "\n"), Err: err}
}

// lineCounter calls itself for every line written to it.
type lineCounter func()

func (f lineCounter) Write(p []byte) (int, error) {
	for range bytes.Count(p, []byte{'\n'}) {
		f()
	}
	return len(p), nil
}
