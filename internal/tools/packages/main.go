// Packages builds unchoke's release: deb, rpm and apk packages and a tarball for
// each target, the packages of the lab's kernel, their contents as SPDX, and
// checksums. Of one commit it makes the same bytes wherever it runs: times are
// the commit's, owners are root, paths are not in the programs.
//
//	packages -out DIR [-targets amd64,…] [-kernel] [-version 1.2.3]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := flag.String("out", "out/packages", "write the packages to `DIR`, which is emptied first")
	names := flag.String("targets", allTargets(), "build for these `TARGETS`")
	withKernel := flag.Bool("kernel", false, "package the lab's kernel too, which is built where it is not there yet")
	version := flag.String("version", "", "`VERSION` as git describe prints it (default: of this commit)")
	flag.Parse()
	if err := run(ctx, *out, strings.Split(*names, ","), *withKernel, *version); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string, names []string, withKernel bool, described string) error {
	chosen, err := chooseTargets(names)
	if err != nil {
		return err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "unchoke-packages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	commit, err := readCommit(ctx, described)
	if err != nil {
		return err
	}
	b := &builder{commit: commit, out: out, work: work, common: map[string][]file{}}
	if b.packer, err = b.buildPacker(ctx); err != nil {
		return err
	}
	for _, t := range chosen {
		if b.common[t.tags] != nil {
			continue
		}
		if b.common[t.tags], err = b.commonFiles(ctx, t.tags); err != nil {
			return err
		}
	}
	for _, t := range chosen {
		if err := b.target(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	if withKernel {
		if err := b.kernel(ctx); err != nil {
			return fmt.Errorf("package the lab's kernel: %w", err)
		}
	}
	return writeSums(out)
}
