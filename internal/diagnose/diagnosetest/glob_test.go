package diagnosetest

import "testing"

// failing notes that a test would have failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Fatalf(string, ...any) { f.failed = true }

func TestGlob(t *testing.T) {
	if got := Glob(t, "*_test.go"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	for _, pattern := range []string{"testdata/none--*.json.gz", "["} {
		f := failing{TB: t}
		if Glob(&f, pattern); !f.failed {
			t.Errorf("%s: a test goes on without fixtures", pattern)
		}
	}
}
