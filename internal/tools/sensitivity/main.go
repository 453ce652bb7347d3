// Sensitivity diagnoses recorded checks again with each threshold of the
// diagnosis raised and lowered, and prints how many verdicts turn. The directory
// holds records, or what `make bench-diagnosis` keeps in out/diagnosis. Where the
// truth is known, of a bench or of a file named CAUSE--what-it-is.json.gz, it
// says whether a verdict turned for the better.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/state"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/tool"
)

func main() { tool.Main("sensitivity", run) }

func run(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sensitivity", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("records", "internal/diagnose/testdata", "the directory of the records")
	by := flags.Float64("by", 0.3, "the share by which each threshold changes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *by <= 0 || *by >= 1 {
		return fmt.Errorf("-by %g is not between 0 and 1", *by)
	}
	cases, err := load(*dir)
	if err != nil {
		return err
	}
	print(stdout, cases, *by)
	return nil
}

// known is a recorded check.
type known struct {
	run     *record.Run
	verdict finding.Cause // with the thresholds as they are
	// right judges a verdict; nil where the truth is not known.
	right func(finding.Cause) bool
}

// load reads the checks in a directory: records, or what `make bench-diagnosis`
// keeps. Records of comparisons are passed over.
func load(dir string) ([]known, error) {
	out, err := kept(score.Dir(dir))
	if !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		d, err := state.ReadFile(file)
		if err != nil {
			return nil, err
		}
		run, ok := d.(*record.Run)
		if !ok {
			continue
		}
		c := known{run: run, verdict: finding.Verdict(diagnose.Diagnose(run))}
		if truth := truthOf(file); truth != "" {
			c.right = func(said finding.Cause) bool { return said == truth }
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no record of a check", dir)
	}
	return out, nil
}

// kept are the checks that a bench kept, with the truth that it found;
// fs.ErrNotExist where the directory is no bench's.
func kept(dir score.Dir) ([]known, error) {
	var runs []*record.Run
	outcomes, err := dir.Replay(func(r *record.Run) []finding.Finding {
		runs = append(runs, r)
		return diagnose.Diagnose(r)
	})
	if err != nil {
		return nil, err
	}
	var out []known
	for _, o := range outcomes {
		if o.Said.Record != nil { // in the order in which they were diagnosed
			out = append(out, known{runs[len(out)], o.Said.Verdict, o.Truth.Right})
		}
	}
	return out, nil
}

// truthOf is the cause that a record's file is named for; empty for other names.
func truthOf(file string) finding.Cause {
	word, _, named := strings.Cut(filepath.Base(file), "--")
	if cause := finding.Cause(word); named && slices.Contains(finding.Causes(), cause) {
		return cause
	}
	return ""
}

// turned counts the verdicts that a change of a threshold turns: all of them,
// and those that became right or wrong.
type turned struct{ all, better, worse int }

func (t turned) String() string {
	if t.all == 0 {
		return "·"
	}
	return fmt.Sprintf("%d (%d right, %d wrong)", t.all, t.better, t.worse)
}

func scaled(t diagnose.Threshold, factor float64, cases []known) turned {
	var out turned
	t.Scaled(factor, func() {
		for _, c := range cases {
			verdict := finding.Verdict(diagnose.Diagnose(c.run))
			if verdict == c.verdict {
				continue
			}
			out.all++
			switch {
			case c.right == nil || c.right(verdict) == c.right(c.verdict):
			case c.right(verdict):
				out.better++
			default:
				out.worse++
			}
		}
	})
	return out
}

// print writes the table as markdown.
func print(w io.Writer, cases []known, by float64) {
	right, truths := 0, 0
	for _, c := range cases {
		if c.right != nil {
			truths++
			if c.right(c.verdict) {
				right++
			}
		}
	}
	fmt.Fprintf(w, "| threshold | value | −%.0f %% turns | +%.0f %% turns | why |\n|---|---:|---|---|---|\n", 100*by, 100*by)
	for _, t := range diagnose.Thresholds() {
		fmt.Fprintf(w, "| `%s` | %g | %s | %s | %s |\n", t.Name, t.Value(), scaled(t, 1-by, cases), scaled(t, 1+by, cases), t.Why)
	}
	fmt.Fprintf(w, "\n%d records; as the thresholds are, %d of %d verdicts whose truth is known are right.\n", len(cases), right, truths)
}
