package kernel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// MinVersion is the oldest kernel that the lab takes: the first whose netem
// can be seeded (TCA_NETEM_PRNG_SEED).
const MinVersion = "6.6"

// sourceGlob is where Debian and Ubuntu packages put kernel sources.
const sourceGlob = "/usr/src/" + sourcePrefix + "*.tar.*"

// FindSource returns the newest kernel source package that is installed.
func FindSource() (string, error) {
	return newestSource(sourceGlob)
}

func newestSource(glob string) (string, error) {
	files, err := filepath.Glob(glob)
	if err != nil {
		return "", err
	}
	best, bestVersion := "", MinVersion
	for _, f := range files {
		name := strings.TrimPrefix(filepath.Base(f), sourcePrefix)
		version, _, _ := strings.Cut(name, ".tar")
		if compareVersions(version, bestVersion) >= 0 {
			best, bestVersion = f, version
		}
	}
	if best == "" {
		return "", missing("no kernel source of version "+MinVersion+" or later in /usr/src", []string{sourcePackage()})
	}
	return best, nil
}

// sourcePackage is the newest package with a kernel source that apt knows.
// linux-source itself will not do: on Debian 12 it is 6.1.
func sourcePackage() string {
	names, _ := exec.Command("apt-cache", "pkgnames", sourcePrefix).Output() // none without apt
	return newestPackage(strings.Fields(string(names)))
}

const (
	sourcePrefix = "linux-source-"
	// usualSource is in Debian 13, and in Debian 12's backports.
	usualSource = sourcePrefix + "6.12"
)

// newestPackage is the newest of the packages named linux-source-VERSION, or
// usualSource where none is recent enough.
func newestPackage(names []string) string {
	best, bestVersion := usualSource, MinVersion
	for _, name := range names {
		version, ok := strings.CutPrefix(name, sourcePrefix)
		if ok && strings.Trim(version, "0123456789.") == "" && compareVersions(version, bestVersion) >= 0 {
			best, bestVersion = name, version
		}
	}
	return best
}

// A source is a kernel source tree or an archive of one.
type source struct {
	path    string
	archive bool
	size    int64 // of an archive, in bytes
}

func openSource(path string) (source, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return source{}, err
	}
	st, err := os.Stat(abs)
	if err != nil {
		return source{}, fmt.Errorf("kernel source: %w", err)
	}
	if !st.IsDir() {
		if decompressor(abs) == "" {
			return source{}, fmt.Errorf("kernel source %s: not a directory, .tar, .tar.gz, .tar.bz2, .tar.xz or .tar.zst", path)
		}
		return source{path: abs, archive: true, size: st.Size()}, nil
	}
	if _, err := os.Stat(filepath.Join(abs, "arch", "um", "Kconfig")); err != nil {
		return source{}, fmt.Errorf("kernel source %s: not a Linux source tree: it has no arch/um", path)
	}
	return source{path: abs}, nil
}

// identity is a digest that changes with the source. An archive's is over its
// bytes; a tree's over its files' names, sizes and times, as make would see
// them.
func (s source) identity(ctx context.Context) (string, error) {
	h := sha256.New()
	if s.archive {
		f, err := os.Open(s.path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		if _, err := io.Copy(h, contextReader{ctx, f}); err != nil {
			return "", fmt.Errorf("read %s: %w", s.path, err)
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	err := filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return ctx.Err()
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%q %d %d\n", path, st.Size(), st.ModTime().UnixNano())
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read %s: %w", s.path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unneeded is what User-Mode Linux never compiles, and most of a kernel's
// source. Kconfig files and Makefiles in it stay, since Kconfig reads them all.
var (
	unneededTrees = []string{"Documentation/*", "tools/perf", "tools/testing"}
	unneededArchs = []string{
		"alpha", "arc", "arm", "arm64", "csky", "hexagon", "loongarch", "m68k", "microblaze", "mips",
		"nios2", "openrisc", "parisc", "powerpc", "riscv", "s390", "sh", "sparc", "xtensa",
	}
	unneededCode = []string{
		"drivers/accel", "drivers/ata", "drivers/clk", "drivers/comedi", "drivers/cpufreq", "drivers/crypto",
		"drivers/gpu", "drivers/hid", "drivers/hwmon", "drivers/i2c", "drivers/iio", "drivers/infiniband",
		"drivers/input", "drivers/isdn", "drivers/leds", "drivers/md", "drivers/media", "drivers/mfd",
		"drivers/mmc", "drivers/mtd", "drivers/net/ethernet", "drivers/net/wireless", "drivers/nvme",
		"drivers/phy", "drivers/pinctrl", "drivers/platform", "drivers/power", "drivers/regulator",
		"drivers/scsi", "drivers/soc", "drivers/spi", "drivers/staging", "drivers/target", "drivers/usb",
		"drivers/video", "sound",
	}
)

// unpack writes the source into dir, which is made. What it read of an
// archive, in bytes, goes to progress.
func (s source) unpack(ctx context.Context, dir string, log io.Writer, progress func(done int64)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	extract := []string{"-x", "-C", dir}
	if !s.archive {
		// A pipe of two tars copies a tree with exclusions; cp has none.
		pack := command(ctx, "tar", append(excludes(), "-c", "-C", s.path, ".")...)
		pack.Stderr = log
		out, err := pack.StdoutPipe()
		if err != nil {
			return err
		}
		if err := pack.Start(); err != nil {
			return fmt.Errorf("copy %s: %w", s.path, err)
		}
		unpackErr := run(ctx, out, log, "tar", extract...)
		if unpackErr != nil {
			out.Close() // else the other tar waits for somebody who reads
		}
		if err := pack.Wait(); err != nil && unpackErr == nil {
			unpackErr = err
		}
		if unpackErr != nil {
			return fmt.Errorf("copy %s: %w", s.path, unpackErr)
		}
		return nil
	}
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if d := decompressor(s.path); d != plainTar {
		extract = append(extract, d)
	}
	extract = append(extract, "--strip-components=1")
	extract = append(extract, excludes()...)
	if err := run(ctx, &countingReader{r: f, report: progress}, log, "tar", extract...); err != nil {
		return fmt.Errorf("unpack %s: %w", s.path, err)
	}
	return nil
}

// excludes are tar's options that leave out what is unneeded. Names in a
// kernel archive and in a tree both have one directory in front.
func excludes() []string {
	args := []string{"--anchored", "--wildcards", "--exclude=*/.git"}
	for _, tree := range unneededTrees {
		args = append(args, "--exclude=*/"+tree+"/*")
	}
	for _, arch := range unneededArchs {
		args = append(args, "--exclude=*/arch/"+arch+"/*.[chS]", "--exclude=*/arch/"+arch+"/boot/*")
	}
	for _, dir := range unneededCode {
		args = append(args, "--exclude=*/"+dir+"/*.[chS]")
	}
	return args
}

const plainTar = "plain"

// decompressor is tar's option for an archive of this name, plainTar where it
// needs none, or empty where it is no archive that we know.
func decompressor(name string) string {
	switch {
	case strings.HasSuffix(name, ".tar"):
		return plainTar
	case strings.HasSuffix(name, ".tar.xz"):
		return "--xz"
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return "--gzip"
	case strings.HasSuffix(name, ".tar.bz2"):
		return "--bzip2"
	case strings.HasSuffix(name, ".tar.zst"):
		return "--zstd"
	}
	return ""
}

type countingReader struct {
	r      io.Reader
	n      int64
	report func(int64)
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.report(c.n)
	return n, err
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// command is a child in a process group of its own, killed whole with ctx: make
// and tar have children that would otherwise go on writing.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	ownGroup(cmd)
	return cmd
}

func run(ctx context.Context, stdin io.Reader, log io.Writer, name string, args ...string) error {
	cmd := command(ctx, name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, log, log
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
