// Package labtest lets the tests of any package say what they need of the lab.
// What is missing skips them with a reason that begins with "needs ", which CI
// takes for a failure.
package labtest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"unchoke/internal/lab/kernel"
)

// NeedKernel skips a test with -short, which boots no machines, and where no lab
// kernel is built.
func NeedKernel(t testing.TB) {
	t.Helper()
	NeedKernelNamed(t, "")
}

// NeedKernelNamed is NeedKernel for the kernel that a name stands for in
// kernel.Find.
func NeedKernelNamed(t testing.TB, name string) {
	t.Helper()
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	switch err := FindKernel(name); {
	case errors.Is(err, kernel.ErrNone):
		t.Skipf("needs a lab kernel: %v: unchoke lab kernel build", err)
	case err != nil:
		t.Fatal(err)
	}
}

// FindKernel says why there is no such lab kernel, if there is none.
func FindKernel(name string) error {
	_, err := kernel.Find(kernel.Places(), name)
	return err
}

// NeedLab is what a test of a tool needs that runs the program in the lab: a
// kernel, and the program that it returns.
func NeedLab(t testing.TB) (program string) {
	t.Helper()
	NeedKernel(t)
	return NeedProgram(t)
}

// NeedProgram is bin/unchoke, which `make test` builds first; a test is skipped
// where it is missing.
func NeedProgram(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for !exists(filepath.Join(root, "go.mod")) {
		above := filepath.Dir(root)
		if above == root {
			t.Fatal("the test does not run in the module's directory")
		}
		root = above
	}
	program := filepath.Join(root, "bin", "unchoke")
	if !exists(program) {
		t.Skip("needs bin/unchoke: make build")
	}
	return program
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
