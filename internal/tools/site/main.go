// Site builds the documentation as pages: README.md, docs and the manual, by
// mdBook, and checks every link between them.
//
//	site -mdbook PROGRAM -unchoke PROGRAM -out DIR
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	mdbook := flag.String("mdbook", "mdbook", "`PROGRAM` that makes pages of Markdown")
	unchoke := flag.String("unchoke", "bin/unchoke", "`PROGRAM` whose manual it is")
	out := flag.String("out", "out/site", "write the site to `DIR`, which is emptied first")
	flag.Parse()
	if err := run(ctx, *mdbook, *unchoke, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, mdbook, unchoke, out string) error {
	work, err := os.MkdirTemp("", "unchoke-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	source := filepath.Join(work, "src")
	if err := manual(ctx, unchoke, filepath.Join(source, "man")); err != nil {
		return err
	}
	pages, err := stage(source)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "book.toml"), []byte(book), 0o644); err != nil {
		return err
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, mdbook, "build", "--dest-dir", out, work).CombinedOutput(); err != nil {
		return fmt.Errorf("%s build: %w\n%s", mdbook, err, said)
	}
	checked, broken, err := checkLinks(out)
	if err != nil {
		return err
	}
	for _, b := range broken {
		err = errors.Join(err, b)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%d pages, %d links between them, none broken: %s\n", pages, checked, filepath.Join(out, "index.html"))
	return nil
}

// manual has the program write its manual into a new directory.
func manual(ctx context.Context, unchoke, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, unchoke, "manual", "--format", "markdown", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%s manual: %w\n%s", unchoke, err, said)
	}
	return nil
}

// book is mdBook's configuration. Smart punctuation would make a dash of the two
// hyphens that options begin with.
const book = `[book]
title = "unchoke"
description = "find why one TCP stream is slow, and fix it"
language = "en"

[output.html]
smart-punctuation = false
no-section-label = true

[output.html.print]
enable = false

[output.html.fold]
enable = true
level = 1
`
