package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"unchoke/internal/lab/labtest"
)

// TestMain lets the scripts run this test binary as unchoke.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "unchoke-revert-") { // the copy that a timer runs
		main()
	}
	testscript.Main(m, map[string]func(){"unchoke": validated})
}

// TestScripts runs the commands as a shell would: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	attended(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			// A script has no home; the lab kernel is in that of whoever runs it.
			cache, err := os.UserCacheDir()
			e.Setenv("XDG_CACHE_HOME", cache)
			testdata, absent := filepath.Abs("testdata")
			e.Setenv("TESTDATA", testdata)
			return errors.Join(err, absent)
		},
		Condition: condition,
	})
}

// condition knows "lab": whether a lab kernel is built, which CI needs, and
// "namespaces": whether one may have mounts of one's own.
func condition(name string) (bool, error) {
	switch name {
	case "lab":
	case "namespaces":
		return exec.Command("unshare", "--map-root-user", "--mount", "true").Run() == nil, nil
	default:
		return false, fmt.Errorf("unknown condition %q", name)
	}
	err := labtest.FindKernel("")
	if err != nil && os.Getenv("CI") == "true" {
		return false, err
	}
	return err == nil, nil
}
