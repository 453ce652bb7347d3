package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/lab/labtest"
)

// python is where ansible-core's programs are, and the directory below which the
// collection lies as Ansible wants it.
func python(t *testing.T) (bin, collections string) {
	t.Helper()
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	out, err := exec.Command("../../../scripts/ansible", "have").Output()
	if err != nil {
		t.Skip("needs ansible-core: scripts/ansible")
	}
	collections = t.TempDir()
	dir, err := filepath.Abs(collectionDir)
	if err == nil {
		err = os.MkdirAll(filepath.Join(collections, "ansible_collections/unchoke"), 0o755)
	}
	if err == nil {
		err = os.Symlink(dir, filepath.Join(collections, "ansible_collections/unchoke/net"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), collections
}

func command(collections, name string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(name, arguments...)
	cmd.Dir = filepath.Join(collections, "ansible_collections/unchoke/net")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+collections, "PYTHONDONTWRITEBYTECODE=1",
		"ANSIBLE_COLLECTIONS_PATH="+collections, "ANSIBLE_HOME="+filepath.Join(collections, "home"), "ANSIBLE_NOCOLOR=1")
	return cmd
}

func TestUnits(t *testing.T) {
	bin, collections := python(t)
	out, err := command(collections, filepath.Join(bin, "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// The modules read what the real program prints.
func TestModulesReadTheProgram(t *testing.T) {
	bin, collections := python(t)
	unchoke := labtest.NeedProgram(t)
	for module, want := range map[string]string{"facts": "ansible_facts", "tune": "plan"} {
		arguments := map[string]any{"executable": unchoke}
		if module == "tune" {
			arguments["state"], arguments["remedy"] = "planned", "bbr"
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		cmd := command(collections, filepath.Join(bin, "ansible"), "localhost", "-i", "localhost,", "-c", "local",
			"-e", "ansible_python_interpreter="+filepath.Join(bin, "python"), "-o", "-m", "unchoke.net."+module, "-a", string(text))
		cmd.Env = append(cmd.Env, "UNCHOKE_STATE_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		// A host that cannot be changed is refused, with its plan.
		if err != nil && !strings.Contains(string(out), `"refused": true`) || !strings.Contains(string(out), `"`+want+`"`) {
			t.Errorf("%s: %v\n%s", module, err, out)
		}
	}
}

var schemaName = regexp.MustCompile(`'(unchoke\.[a-z.]+/\d+)'`)

// Every document that a module reads is one that the program prints, by its
// schema.
func TestSchemasOfModules(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(collectionDir, "plugins/modules/*.py"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var asked []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range schemaName.FindAllStringSubmatch(string(text), -1) {
			asked = append(asked, m[1])
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(asked))) {
		file := filepath.Join("../../../docs/schema", strings.ReplaceAll(strings.TrimPrefix(name, "unchoke."), "/", "-")+".json")
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), `"const": "`+name+`"`) {
			t.Errorf("%s is no document of unchoke's: %v", name, err)
		}
	}
	if len(asked) < 5 {
		t.Errorf("only %q are asked for", asked)
	}
}
