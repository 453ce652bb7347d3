// Testrun runs go test as often as it has arguments, each argument one run's
// environment and flags, and sums all runs up: why each skipped test was
// skipped, how many tests passed, failed and were skipped. A test that
// several runs have counts once.
//
//	testrun "-race -short ./..." "CGO_ENABLED=0 -timeout 15m ./..."
//
// A skip whose reason begins with "needs " is a requirement that this machine
// lacks and `make requirements` would install. Where CI is set in the
// environment, it fails.
//
// A lone failure is tried again: see doubt.go.
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Getenv("CI") != "", os.Stdout, os.Stderr))
}

func run(runs []string, ci bool, stdout, stderr io.Writer) int {
	results := newResults()
	broken := false
	for _, words := range runs {
		fmt.Fprintf(stdout, "go test %s\n", words)
		one := newResults()
		if err := goTest(words, one, stdout, stderr); err != nil {
			fmt.Fprintf(stderr, "go test %s: %v\n", words, err)
			broken = !one.doubt(words, stdout, stderr) || broken
		}
		results.add(one)
	}
	totals := results.report(stdout, ci)
	if broken || totals.failed > 0 {
		return 1
	}
	return 0
}

// goTest makes one run. Its error says that tests failed, or that there were
// none because they did not build.
func goTest(words string, into *results, stdout, stderr io.Writer) error {
	args, env := []string{"test", "-json"}, os.Environ()
	for word := range strings.FieldsSeq(words) {
		if strings.HasPrefix(word, "-") || !strings.Contains(word, "=") {
			args = append(args, word)
		} else {
			env = append(env, word)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Env, cmd.Stderr = env, stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := into.read(events, stdout)
	failed := cmd.Wait()
	into.times(stdout, time.Since(began), cmd.ProcessState)
	return cmp.Or(failed, readErr)
}
