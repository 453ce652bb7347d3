package lab

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"unchoke/internal/lab/stage"
	"unchoke/internal/path"
)

// Whatever this host's kernel has, --host either works or says what is missing
// and what to do, and leaves the host as it was.
func TestOnHost(t *testing.T) {
	p, err := path.Parse("rtt=20ms,loss=1%")
	if err != nil {
		t.Fatal(err)
	}
	hosts, noHosts := os.ReadFile("/etc/hosts") // a minimal container has none
	var out, errs bytes.Buffer
	status, err := Exec(context.Background(), Command{
		Path: p, OnHost: true, Near: []string{"sh", "-c", "hostname; exit 5"}, Stdout: &out, Stderr: &errs,
	})
	var failure *stage.Failure
	switch {
	case err == nil:
		if status != 5 || out.String() != "near\n" {
			t.Errorf("status %d, %q, %q", status, out.String(), errs.String())
		}
	case !errors.As(err, &failure) || failure.Hint() == "" || status != 1:
		t.Errorf("refused with status %d and no next step: %v", status, err)
	default:
		t.Logf("refused: %v", err)
	}
	if after, err := os.ReadFile("/etc/hosts"); os.IsNotExist(err) != os.IsNotExist(noHosts) || !bytes.Equal(hosts, after) {
		t.Errorf("/etc/hosts was %q (%v) and is %q (%v)", hosts, noHosts, after, err)
	}
	if left, _ := os.ReadDir(os.TempDir()); strings.Contains(names(left), "unchoke-hosts-") {
		t.Error("a hosts file is left in the temporary directory")
	}
}

func names(entries []os.DirEntry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Name() + "\n")
	}
	return b.String()
}
