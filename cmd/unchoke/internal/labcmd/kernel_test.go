//go:build !slim

package labcmd

import (
	"bytes"
	"strings"
	"testing"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/lab/kernel"
)

// The list of kernels has the number of edits, and not each of them.
func TestKernelsHaveANumberOfEdits(t *testing.T) {
	var out bytes.Buffer
	info := kernel.Info{Version: "6.12.1", Key: "k", Edits: []string{"virtual time", "seccomp", "the clock"}, Patches: []string{"mine.patch"}}
	printKernels(&cli.App{Stdout: &out}, []kernel.Info{info}, "")
	if got := out.String(); !strings.Contains(got, "edits           3, which --json lists\n") || strings.Contains(got, "seccomp") || !strings.Contains(got, "mine.patch") {
		t.Error(got)
	}
}
