//go:build linux

package lab

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"unchoke/internal/lab/labtest"
)

// The machine sets a program's vector registers only where another may have changed
// them. One that forgets a case hands a program another thread's numbers.
func TestRegistersAreKept(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the program is written for amd64")
	}
	labtest.NeedKernel(t)
	program := filepath.Join(t.TempDir(), "registers")
	if out, err := exec.Command("gcc", "-O1", "-static", "-pthread", "-o", program, "testdata/registers.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	stdout, stderr, status, err := run(t, Command{Near: []string{program}})
	if err != nil || status != 0 || stdout != "0 wrong\n" {
		t.Errorf("status %d, %v, %q, %q", status, err, stdout, stderr)
	}
}
