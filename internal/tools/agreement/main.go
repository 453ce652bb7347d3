// Agreement says how a sweep's runs agree with the jitter-cliff article, each
// sender rate on its own, and with theory:
//
//	agreement -unchoke bin/unchoke out/article out/theory
//
// It fails where fewer cells agree than docs/jitter-cliff.md says.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"unchoke/internal/lab/analysis"
	labreport "unchoke/internal/report/lab"
	"unchoke/internal/report/render"
	"unchoke/internal/tools/tool"
)

func main() { tool.Main("agreement", run) }

func run(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("agreement", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("name the directories that lab run wrote")
	}
	cmd := exec.Command(*unchoke, append([]string{"lab", "report", "--json"}, flags.Args()...)...)
	cmd.Stderr = stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	lab, err := read(bytes.NewReader(out))
	if err != nil {
		return err
	}
	if lab, err = lab.Only("agreement"); err != nil {
		return err
	}
	if err := lab.Text(stdout, render.Style{Width: 140}); err != nil {
		return err
	}
	missed := judge(lab.Agreement, lab.Cells)
	if len(lab.Agreement.Ranks) == 0 && !slices.ContainsFunc(lab.Agreement.Parts(), func(p analysis.Part) bool { return len(p.List) > 0 }) {
		missed = append(missed, "the sweep has no cell that the article or theory has")
	}
	if len(missed) > 0 {
		return errors.New(strings.Join(missed, "; "))
	}
	return nil
}

// read reads a report's document.
func read(r io.Reader) (labreport.Report, error) {
	var lab labreport.Report
	if err := json.NewDecoder(r).Decode(&lab); err != nil {
		return lab, fmt.Errorf("read the report: %w", err)
	}
	if lab.Schema != labreport.Schema {
		return lab, fmt.Errorf("read the report: its schema is %q, not %q", lab.Schema, labreport.Schema)
	}
	return lab, nil
}
