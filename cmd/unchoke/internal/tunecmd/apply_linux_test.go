//go:build !slim

package tunecmd

import (
	"bytes"
	"strings"
	"testing"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/ttytest"
	"unchoke/internal/tune"
)

// A plan goes to standard error, and is as that is: a file gets plain text, whatever
// standard output is.
func TestShowPlanStyle(t *testing.T) {
	_, tty, _ := ttytest.Open(t)
	t.Setenv("NO_COLOR", "")
	var said bytes.Buffer
	a := &cli.App{Stdout: tty, Stderr: &said, Terminal: cli.NewTerminal(tty, &said)}
	p := tune.Plan{Changes: []tune.Change{{Kind: tune.Sysctl, Key: "net.ipv4.tcp_sack", When: tune.Now, Old: new("0"), New: new("1")}}}
	if err := showPlan(a, p); err != nil {
		t.Fatal(err)
	}
	if text := said.String(); !strings.Contains(text, "tcp_sack") || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}
