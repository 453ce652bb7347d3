// Vantage measures how well a comparison of places tells where a cause lies:
// topologies of a PC behind a router, a cloud host and a server beyond an
// ocean, each with a cause in a known place, in the lab; the one whose cause is a
// processor in namespaces of this host.
//
//	vantage -unchoke bin/unchoke
//
// That a case is what it is said to be, stock iperf3 decides: in it, a place is
// clearly slower than in the same topology without the impairment.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"unchoke/internal/tools/tool"
)

func main() { tool.Main("vantage", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == insideWord {
		return runInside(ctx, args[1:], stdout, stderr)
	}
	flags := flag.NewFlagSet("vantage", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the program")
	list := flags.String("cases", "", "names, separated by commas; all if empty")
	rounds := flags.Int("rounds", 2, "of checks from each place")
	ssh := flags.Bool("ssh", false, "reach the router and the cloud from the PC by the real sshd of each, and not by their namespaces")
	save := flags.String("save", "", "directory for the comparisons' documents; none are kept if empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	program, err := filepath.Abs(*unchoke)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b := bench{program: program, self: self, rounds: *rounds, ssh: *ssh, save: *save, out: stdout}
	chosen := cases
	if *list != "" {
		names := strings.Split(*list, ",")
		chosen = slices.DeleteFunc(slices.Clone(cases), func(c aCase) bool { return !slices.Contains(names, c.name) })
		if len(chosen) != len(names) {
			return fmt.Errorf("cases %s: not all of them are there", *list)
		}
	}
	return b.run(ctx, chosen)
}
