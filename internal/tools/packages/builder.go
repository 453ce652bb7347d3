package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// builder builds the packages of one commit.
type builder struct {
	commit    commit
	out, work string            // directories: of the packages, and for what is between
	packer    string            // the program that makes packages
	common    map[string][]file // by the tags of a build
}

// target builds the packages of one target.
func (b *builder) target(ctx context.Context, t target) error {
	program := filepath.Join(b.work, t.name, "unchoke")
	if err := b.build(ctx, t, program); err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	bill, err := b.bill(program, t)
	if err != nil {
		return err
	}
	files := append(slices.Clone(b.common[t.tags]), file{binDir + "/unchoke", 0o755, data}, file{docDir + "/sbom.spdx.json", 0o644, bill})
	if err := os.WriteFile(filepath.Join(b.out, "unchoke_"+t.name+".spdx.json"), bill, 0o644); err != nil {
		return err
	}
	if err := b.tarball(t, files); err != nil {
		return err
	}
	return b.pack(ctx, ours(files), t)
}

// build builds the program, or for a target without a name this machine's.
func (b *builder) build(ctx context.Context, t target, program string) error {
	args := []string{
		"build", "-trimpath", "-buildvcs=false", "-o", program,
		"-ldflags", "-s -w -buildid= -X unchoke/cmd/unchoke/internal/cli.version=" + b.commit.described + t.ldflags,
	}
	settings := []string{"CGO_ENABLED=0"}
	if t.tags == slimTag {
		args = append(args, "-gcflags", "all=-l -d=variablemakethreshold=0,maxshapelen=40") // as make slim does
		settings = append(settings, "GOEXPERIMENT=nogreenteagc")
	}
	if t.tags != "" {
		args = append(args, "-tags", t.tags)
	}
	if t.goarch != "" {
		settings = append(append(settings, "GOOS=linux", "GOARCH="+t.goarch, "GOAMD64=v1"), t.settings...)
	}
	_, err := output(ctx, settings, "go", append(args, "./cmd/unchoke")...)
	return err
}

// buildPacker builds the program that makes packages, a module of its own.
func (b *builder) buildPacker(ctx context.Context) (string, error) {
	program := filepath.Join(b.work, "nfpm")
	_, err := output(ctx, []string{"CGO_ENABLED=0"}, "go", "-C", "internal/tools/nfpm", "build", "-buildvcs=false", "-o", program, ".")
	return program, err
}

// output runs a program and returns what it printed.
func output(ctx context.Context, settings []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), settings...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w\n%s", name, args, err, &stderr)
	}
	return out, nil
}
