package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"unchoke/internal/lab/labtest"
)

// TestRecipes runs what docs/lab-run.md tells users of clusters to type:
// testdata/recipe/*.txtar.
func TestRecipes(t *testing.T) {
	labtest.NeedKernel(t)
	if _, err := exec.LookPath("parallel"); err != nil {
		t.Skipf("needs GNU parallel: %v", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "lab-run.md"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/recipe", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("HOME", e.WorkDir)
			for _, name := range []string{"parallel", "slurm"} {
				text, err := recipe(string(docs), name)
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(e.WorkDir, name+".sh"), []byte(text), 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// recipe is the shell code beneath the comment that names it.
func recipe(docs, name string) (string, error) {
	found := regexp.MustCompile("(?s)<!-- recipe: " + name + " -->\n```sh\n(.*?)```").FindStringSubmatch(docs)
	if found == nil {
		return "", fmt.Errorf("the docs have no recipe %q", name)
	}
	return strings.TrimSpace(found[1]) + "\n", nil
}
