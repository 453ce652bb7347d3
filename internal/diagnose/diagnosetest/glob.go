package diagnosetest

import (
	"path/filepath"
	"testing"
)

// Glob is filepath.Glob for fixtures: a test that finds none proves nothing, and fails.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures %s (%v)", pattern, err)
	}
	return files
}
