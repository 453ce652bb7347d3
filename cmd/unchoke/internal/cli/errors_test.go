package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/cobra"

	"unchoke/internal/hint"
	"unchoke/internal/path"
)

func TestReport(t *testing.T) {
	_, badPath := path.Parse("rtt=50ms,los=1%")
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("interrupted"))

	for _, c := range []struct {
		name   string
		ctx    context.Context
		err    error
		status int
		out    string
	}{
		{"success", t.Context(), nil, 0, ""},
		{"failure", t.Context(), errors.New("connect to far:5201: refused"), 1, "unchoke: connect to far:5201: refused\n"},
		{
			"hint within", t.Context(), fmt.Errorf("set bbr: %w", WithHint(errors.New("not loaded"), "modprobe %s", "tcp_bbr")), 1,
			"unchoke: set bbr: not loaded\nhint: modprobe tcp_bbr\n",
		},
		{"usage", t.Context(), Usagef("no target"), 2, "unchoke: no target\nhint: unchoke check --help\n"},
		{
			"pointer and hint", t.Context(), Usage(badPath), 2,
			"unchoke: path: unknown key \"los\" at character 10\n" +
				"    rtt=50ms,los=1%\n" +
				"             ^^^\n" +
				"hint: " + hint.Of(badPath) + "\n",
		},
		{"status passed on", t.Context(), fmt.Errorf("run: %w", StatusError(127)), 127, ""},
		{"signal", stopped, fmt.Errorf("wait: %w", context.Canceled), 1, "unchoke: interrupted\n"},
		{"signal, and what was kept", stopped, WithHint(context.Canceled, "4 of 8 runs are in out"), 1, "unchoke: interrupted\nhint: 4 of 8 runs are in out\n"},
		{"failure after a signal", stopped, errors.New("restore default_qdisc: permission denied"), 1, "unchoke: restore default_qdisc: permission denied\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := &cobra.Command{Use: "unchoke"}
			check := &cobra.Command{Use: "check TARGET"}
			root.AddCommand(check)
			var out bytes.Buffer
			if status := ReportError(c.ctx, &out, check, c.err); status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			if out.String() != c.out {
				t.Errorf("printed\n%s\nwant\n%s", &out, c.out)
			}
		})
	}
}
