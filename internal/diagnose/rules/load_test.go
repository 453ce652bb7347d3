package rules

import (
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/record"
)

// load returns a copy of a fixture that may be changed.
func load(t *testing.T, file string) *record.Run {
	t.Helper()
	return diagnosetest.Load(t, "../"+file)
}
