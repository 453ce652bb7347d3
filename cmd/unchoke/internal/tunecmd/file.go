//go:build !slim

package tunecmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/tune"
)

// writePlan keeps a plan for "unchoke tune apply FILE". It makes a new file, and
// follows no link: run by root it overwrites nothing.
func writePlan(name string, p tune.Plan) error {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return cli.Usage(cli.WithHint(fmt.Errorf("write the plan: %s exists already", name), "remove it, or name another file"))
	}
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}

// maxPlan bounds a plan's file in bytes; one of a host with a thousand routes is
// under a megabyte.
const maxPlan = 16 << 20

// readPlan reads what writePlan wrote, from a file or standard input (-).
func readPlan(name string, stdin io.Reader) (tune.Plan, error) {
	fail := func(err error) (tune.Plan, error) {
		return tune.Plan{}, cli.WithHint(fmt.Errorf("read the plan %s: %w", name, err), "unchoke tune plan --out FILE writes one")
	}
	b, err := readInput(name, stdin, maxPlan)
	if err != nil {
		return fail(err)
	}
	var p tune.Plan
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&p); err != nil {
		return fail(errors.New("it is not a plan"))
	}
	if p.Schema != tune.PlanSchema {
		return fail(fmt.Errorf("its schema is %q, not %q", p.Schema, tune.PlanSchema))
	}
	if p.Root != "" {
		return fail(errors.New("it is for an image, not for the running host"))
	}
	return p, nil
}

// readInput reads a regular file, or standard input (-), of at most so many bytes.
func readInput(name string, stdin io.Reader, most int64) ([]byte, error) {
	from := stdin
	if name != "-" {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, errors.New("it is not a regular file")
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("it is longer than %d bytes", most)
	}
	return b, err
}
