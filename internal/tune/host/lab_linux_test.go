package host

import (
	"os"
	"strings"
	"testing"

	"unchoke/internal/lab"
	"unchoke/internal/lab/labtest"
)

// TestMain lets this binary be a lab machine's init.
func TestMain(m *testing.M) {
	lab.Main()
	os.Exit(m.Run())
}

const inLab = "UNCHOKE_TEST_IN_LAB"

// This host's kernel may lack fq and fq_codel; the lab's has them.
func TestOnLabKernel(t *testing.T) { runInLab(t, "ComesBack") }

// default_qdisc is in the first network namespace only, in which the kernel's own
// threads are.
func TestTreesOnLabKernel(t *testing.T) { runInLab(t, "OfKernel$", "nsenter", "--net=/proc/2/ns/net") }

// runInLab runs tests of this package on the lab's kernel.
func runInLab(t *testing.T, tests string, by ...string) {
	t.Helper()
	if os.Getenv(inLab) != "" {
		t.Skip("runs in the lab already")
	}
	labtest.NeedKernel(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	status, err := lab.Exec(t.Context(), lab.Command{
		Near:   append(by, self, "-test.v", "-test.run="+tests),
		Env:    append(os.Environ(), inLab+"=1"),
		Stdout: &out, Stderr: &out,
	})
	if err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s", status, err, &out)
	}
	if strings.Contains(out.String(), "SKIP") {
		t.Errorf("the lab's kernel cannot do everything:\n%s", &out)
	}
	t.Log(strings.TrimSpace(out.String()))
}
