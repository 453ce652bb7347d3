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
	runProgram(t, "registers", "0 wrong\n")
}

// Programs read the clock in their own memory, and move it on there: it is the one that
// the kernel has.
func TestOneClock(t *testing.T) {
	runProgram(t, "clock", "0 behind\n")
}

// runProgram runs a C program of testdata in the lab, and wants its output.
func runProgram(t *testing.T, name, want string) {
	t.Helper()
	labtest.NeedKernel(t)
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("gcc", "-O1", "-static", "-pthread", "-o", program, "testdata/"+name+".c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	stdout, stderr, status, err := run(t, Command{Near: []string{program}})
	if err != nil || status != 0 || stdout != want {
		t.Errorf("status %d, %v, %q, %q", status, err, stdout, stderr)
	}
}
