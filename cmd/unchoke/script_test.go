package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run this test binary as unchoke.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"unchoke": main})
}

// TestScripts runs the commands as a shell would: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true})
}
