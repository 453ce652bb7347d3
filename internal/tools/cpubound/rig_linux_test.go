package main

import (
	"errors"
	"io"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/finding"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/record"
	"unchoke/internal/tools/cpugroup"
)

// A tunnel's program that may use a twentieth of a core or so is the cause, and
// the ceiling is the one that stock iperf3 finds; without the limit it is not.
func TestLimitIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	program := labtest.NeedProgram(t)
	if unix.Geteuid() != 0 {
		t.Skip("needs root, for namespaces and control groups")
	}
	if _, err := exec.LookPath("iperf3"); err != nil {
		t.Skip("needs iperf3")
	}
	dir := t.TempDir()
	wireguard, err := buildWireGuard(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRig(t.Context(), wireguard)
	if errors.Is(err, cpugroup.ErrNone) {
		t.Skipf("needs %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	b := bench{r, program, dir, 1, io.Discard}
	// Beside other tests, which take the cores for seconds: one round of three must
	// do. The bench has the narrow gate.
	for round := 1; ; round++ {
		all, err := b.ceilings(t.Context(), []float64{100})
		if err != nil {
			t.Fatal(err)
		}
		short := gates{1, 0.35}.judge(all, nil)
		if len(short) == 0 {
			break
		}
		if round == 3 {
			t.Errorf("%v", short)
			break
		}
		t.Logf("round %d: %v", round, short)
	}
	free, err := b.free(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range record.Directions {
		if free[0].verdicts[i] == finding.CPUBound || free[0].verdicts[i] == "" {
			t.Errorf("without a limit, %s: %q", d, free[0].verdicts[i])
		}
	}
}
