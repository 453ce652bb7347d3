// Agreement says how a sweep's runs agree with the jitter-cliff article, each
// sender rate on its own, and with theory:
//
//	agreement -unchoke bin/unchoke out/article out/theory
//
// It fails where fewer cells agree than a comparison asks for.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/report"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "agreement:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
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
	if err := lab.Text(stdout, report.Style{Width: 140}); err != nil {
		return err
	}
	return judge(lab.Agreement)
}

// read reads a report's document.
func read(r io.Reader) (report.Lab, error) {
	var lab report.Lab
	if err := json.NewDecoder(r).Decode(&lab); err != nil {
		return lab, fmt.Errorf("read the report: %w", err)
	}
	if lab.Schema != report.LabSchema {
		return lab, fmt.Errorf("read the report: its schema is %q, not %q", lab.Schema, report.LabSchema)
	}
	return lab, nil
}

// judge says where fewer cells agree than is asked for.
func judge(a analysis.Agreement) error {
	var short []string
	need := func(what string, agree, all int, least float64) {
		if float64(agree) < least*float64(all) {
			short = append(short, fmt.Sprintf("%s: %d of %d agree, fewer than %.0f %%", what, agree, all, least*100))
		}
	}
	compared := len(a.Ranks)
	for _, p := range a.Parts() {
		agree, all := analysis.Tally(p.List)
		need(p.Name, agree, all, p.Least)
		compared += all
	}
	same := 0
	for _, r := range a.Ranks {
		if r.Agrees {
			same++
		}
	}
	need("CUBIC and BBR ranked", same, len(a.Ranks), 1)
	if compared == 0 {
		return errors.New("the sweep has no cell that the article or theory has")
	}
	if len(short) > 0 {
		return errors.New(strings.Join(short, "; "))
	}
	return nil
}
