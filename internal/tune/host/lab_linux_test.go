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
func TestOnLabKernel(t *testing.T) {
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
		Near:   []string{self, "-test.v", "-test.run=ComesBack"},
		Env:    append(os.Environ(), inLab+"=1"),
		Stdout: &out, Stderr: &out,
	})
	if err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s", status, err, &out)
	}
	if strings.Contains(out.String(), "SKIP") {
		t.Errorf("the lab's kernel cannot do everything:\n%s", &out)
	}
}
