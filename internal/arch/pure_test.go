package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pure are the packages that compute and nothing else: what they import, and
// what that imports, reaches no file, no socket and no clock.
var pure = []string{
	"iperf3/internal/datagram", "iperf3/internal/pace", "iperf3/internal/wire",
	"internal/hint", "internal/unit", "internal/wire", "internal/pack", "internal/path", "internal/record", "internal/finding", "internal/live",
	"internal/stats", "internal/theory", "internal/congestion", "internal/flow",
	"internal/diagnose", "internal/compare", "internal/twin", "internal/vantage", "internal/fleet", "internal/lab/analysis",
	"internal/report",
}

// effects are the packages by which code reaches out of the process.
var effects = []string{"crypto/rand", "golang.org/x/sys", "net", "os", "syscall"}

// harmless are packages beneath effects, and modules, that only compute.
var harmless = []string{"go.yaml.in/yaml/v4", "net/netip", "net/url"}

// clocks are the functions of package time that read the clock or wait.
var clocks = []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}

// excused are packages with effects that pure ones may reach, and why. One that
// no pure package reaches any more goes from the list.
var excused = map[string]string{
	"tcpinfo":              "its types and Parse are pure; only Get asks a socket, which it is handed",
	"internal/lab/traffic": "a run's samples are declared beside the flows that take them",
}

func TestPurePackagesReachNothing(t *testing.T) {
	all := map[string]goPackage{}
	for _, pkg := range packages(t) {
		all[pkg.ImportPath] = pkg
	}
	used := map[string]bool{}
	for path := range all {
		name := strings.TrimPrefix(path, module+"/")
		if !anyWithin(name, pure) || anyWithin(name, testOnly) {
			continue
		}
		walk(all, []string{path}, map[string]bool{}, func(way []string) (deeper bool) {
			last := all[way[len(way)-1]]
			name := strings.TrimPrefix(last.ImportPath, module+"/")
			if excused[name] != "" {
				used[name] = true
				return false
			}
			if does := effectsOf(t, last); len(does) > 0 {
				t.Errorf("%s is pure, but %s uses %s", path, strings.Join(way, " → "), strings.Join(does, ", "))
				return false
			}
			return true
		})
	}
	for name := range excused {
		if !used[name] {
			t.Errorf("no pure package reaches %s: it needs no excuse", name)
		}
	}
}

// walk visits every package of ours that the last of way reaches, each once, by
// its way there. It goes no deeper where visit says so.
func walk(all map[string]goPackage, way []string, seen map[string]bool, visit func(way []string) bool) {
	at := way[len(way)-1]
	if seen[at] || !visit(way) {
		return
	}
	seen[at] = true
	for _, imported := range all[at].Imports {
		if _, ours := all[imported]; ours {
			walk(all, append(slices.Clone(way), imported), seen, visit)
		}
	}
}

// effectsOf lists what a package itself uses of the world: imports that reach
// out, modules that may, and the clock.
func effectsOf(t *testing.T, pkg goPackage) []string {
	t.Helper()
	var out []string
	for _, imported := range pkg.Imports {
		if reachesOut(imported) {
			out = append(out, imported)
		}
	}
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, clocksOf(file)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func reachesOut(imported string) bool {
	if within(imported, module) || slices.Contains(harmless, imported) {
		return false
	}
	foreign := strings.Contains(strings.Split(imported, "/")[0], ".")
	return foreign || anyWithin(imported, effects)
}

// clocksOf lists a file's uses of the clock, as time.Now.
func clocksOf(file *ast.File) []string {
	local := ""
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "time" {
			local = "time"
			if spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && local != "" {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == local && slices.Contains(clocks, s.Sel.Name) {
				out = append(out, "time."+s.Sel.Name)
			}
		}
		return true
	})
	return out
}

// The walk finds what is reached across several imports, and the clock under
// any name.
func TestEffectsAreFound(t *testing.T) {
	all := map[string]goPackage{
		"unchoke/internal/diagnose": {Imports: []string{"fmt", "unchoke/internal/flow"}},
		"unchoke/internal/flow":     {Imports: []string{"unchoke/internal/stats", "math"}},
		"unchoke/internal/stats":    {Imports: []string{"os"}},
	}
	var ways []string
	walk(all, []string{"unchoke/internal/diagnose"}, map[string]bool{}, func(way []string) bool {
		if slices.ContainsFunc(all[way[len(way)-1]].Imports, reachesOut) {
			ways = append(ways, strings.Join(way, " "))
		}
		return true
	})
	if want := "unchoke/internal/diagnose unchoke/internal/flow unchoke/internal/stats"; len(ways) != 1 || ways[0] != want {
		t.Errorf("found %q, want %q", ways, want)
	}
	for source, want := range map[string]string{
		`import "time"; var x = time.Now()`:                      "time.Now",
		`import clock "time"; var x = clock.Since`:               "time.Since",
		`import "time"; var x = time.Second`:                     "",
		`var time struct{ Now func() }; func f() { time.Now() }`: "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(clocksOf(file), " "); got != want {
			t.Errorf("%s uses %q, want %q", source, got, want)
		}
	}
	for imported, want := range map[string]bool{
		"net/netip": false, "net": true, "net/http": true, "os/exec": true, "math": false, "crypto/rand": true,
		"unchoke/internal/linux": false, "github.com/spf13/cobra": true,
	} {
		if reachesOut(imported) != want {
			t.Errorf("%s reaches out: %v", imported, !want)
		}
	}
}
