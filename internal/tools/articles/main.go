// Articles measures again what articles reported: each of the lab's comparison
// presets, and prints the figures side by side as a markdown table. With -pages
// it loads the page of the preset cross-border as well, with -published it fails where a rate is none of those of a document's table, with
// -predict it prints what the record of one check of each path predicts.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/lab"
	"unchoke/internal/lab/preset"
	comparereport "unchoke/internal/report/compare"
	"unchoke/internal/tools/tool"
)

func main() {
	lab.Main() // a lab machine starts this program as its init
	tool.Main("articles", run)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("articles", flag.ContinueOnError)
	unchoke := flags.String("unchoke", "bin/unchoke", "the program to measure with")
	blocks := flags.Int("blocks", 6, "blocks of each comparison: six pairs are the fewest of which a sign-flip test can say anything at 5 %")
	seed := flags.Uint64("seed", 1, "of the paths' randomness and the order of the arms")
	document := flags.String("published", "", "a document with the table as it was published")
	loadPages := flags.Bool("pages", false, "load the page of the preset cross-border as well, with each algorithm")
	predict := flags.Bool("predict", false, "print what a check alone predicts of each path beside what its article reported")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all := preset.All
	if names := flags.Args(); len(names) > 0 {
		all = nil
		for _, name := range names {
			p, err := preset.Find(name)
			if err != nil {
				return err
			}
			all = append(all, p)
		}
	}
	if *predict {
		binary, err := filepath.Abs(*unchoke)
		if err != nil {
			return err
		}
		return predictAll(ctx, binary, all, *seed, stdout, stderr)
	}
	fmt.Fprint(stdout, comparereport.ArticlesHead)
	var table strings.Builder
	for _, p := range all {
		began := time.Now()
		c, err := measure(ctx, *unchoke, p, *blocks, *seed)
		if err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		fmt.Fprint(stdout, c.ArticleRows())
		table.WriteString(c.ArticleRows())
		fmt.Fprintf(stderr, "%s: %.0f s\n", p.Name, time.Since(began).Seconds())
	}
	if *loadPages {
		if err := pages(ctx, *unchoke, stdout); err != nil {
			return err
		}
	}
	if *document == "" {
		return nil
	}
	text, err := os.ReadFile(*document)
	if err != nil {
		return fmt.Errorf("read what was published: %w", err)
	}
	published, err := rates(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", *document, err)
	}
	now, err := rates(table.String())
	if err != nil {
		return err
	}
	return judge(now, published)
}

// measure runs one preset as a user would.
func measure(ctx context.Context, unchoke string, p preset.Preset, blocks int, seed uint64) (comparereport.Report, error) {
	out, err := output(ctx, unchoke, "ab", "--lab", p.Name, "--json", "--no-save",
		"--blocks", strconv.Itoa(blocks), "--seed", strconv.FormatUint(seed, 10))
	if err != nil {
		return comparereport.Report{}, err
	}
	var c comparereport.Report
	err = json.Unmarshal(out, &c)
	return c, err
}

// output runs unchoke, and is what it prints; its error is what it says of one.
func output(ctx context.Context, unchoke string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, unchoke, args...)
	// The lab ends with the command that it runs; killed, it would leave that.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if said := strings.TrimSpace(stderr.String()); said != "" {
		if _, exited := errors.AsType[*exec.ExitError](err); exited {
			err = errors.New(said)
		}
	}
	return stdout.Bytes(), err
}
