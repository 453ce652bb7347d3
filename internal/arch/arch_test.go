// Package arch holds the table of which package may import which, as a test.
// docs/architecture.md draws the same table.
package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "unchoke"

// rows are the areas of the code, lowest first. An area is a package with all
// the packages beneath it; it imports from itself and from lower rows.
var rows = [][]string{
	{"tcpinfo", "internal/bounded", "internal/hint", "internal/unit", "internal/words", "internal/ls", "internal/pack", "internal/wire", "internal/path", "internal/record", "internal/finding", "internal/live"},
	{"iperf3", "internal/stats", "internal/theory", "internal/congestion", "internal/flow", "internal/linux", "internal/state"},
	{"internal/probe", "internal/audit", "internal/tunnel", "internal/watch", "internal/remote"},
	{"internal/diagnose", "internal/compare", "internal/tune", "internal/lab", "internal/twin", "internal/session", "internal/vantage", "internal/fleet"},
	{"internal/app"},
	{"internal/report"},
	{"internal/tui", "internal/web", "internal/prom"},
}

// beside are the imports within one row.
var beside = map[string][]string{
	"internal/path":    {"internal/unit", "internal/wire", "internal/words"},
	"internal/record":  {"internal/pack", "internal/unit", "tcpinfo"},
	"internal/finding": {"internal/record"},
	"internal/live":    {"internal/finding", "internal/pack", "internal/unit", "internal/words"},
	"internal/flow":    {"internal/stats"},
	"internal/twin":    {"internal/diagnose"},
	"internal/vantage": {"internal/diagnose"},
	"internal/fleet":   {"internal/tune"},
}

// rooms are packages of an area with order of its own: of that area they import
// what is listed and no more.
var rooms = map[string][]string{
	"iperf3/internal/datagram": nil,
	"iperf3/internal/link":     {"iperf3/internal/pace"},
	"iperf3/internal/pace":     nil,
	"iperf3/internal/wire":     nil,

	"internal/fleet/inventory": nil,

	"internal/diagnose/threshold": nil,
	"internal/diagnose/seen":      {"internal/diagnose/threshold"},
	"internal/diagnose/view":      {"internal/diagnose/seen", "internal/diagnose/threshold"},
	"internal/diagnose/hosts":     {"internal/diagnose/threshold", "internal/diagnose/view"},
	"internal/diagnose/amend":     {"internal/diagnose/hosts", "internal/diagnose/rules/tunnels", "internal/diagnose/rules/words", "internal/diagnose/seen", "internal/diagnose/threshold", "internal/diagnose/view"},
	"internal/diagnose/fetched":   nil,
	"internal/diagnose/watched":   nil,

	"internal/diagnose/rules":         {"internal/diagnose/hosts", "internal/diagnose/rules/ends", "internal/diagnose/rules/words", "internal/diagnose/seen", "internal/diagnose/threshold", "internal/diagnose/view"},
	"internal/diagnose/rules/words":   {"internal/diagnose/view"},
	"internal/diagnose/rules/ends":    {"internal/diagnose/hosts", "internal/diagnose/rules/words", "internal/diagnose/seen", "internal/diagnose/threshold", "internal/diagnose/view"},
	"internal/diagnose/rules/tunnels": {"internal/diagnose/hosts", "internal/diagnose/rules/words", "internal/diagnose/seen", "internal/diagnose/threshold", "internal/diagnose/view"},

	"internal/app/request":  nil,
	"internal/app/far":      {"internal/app/request"},
	"internal/app/watching": {"internal/app/request"},
	"internal/app/live":     {"internal/app/request", "internal/app/watching"},
	"internal/app/rollout":  {"internal/app", "internal/app/far", "internal/app/request"},

	"internal/report/render":  nil,
	"internal/report/check":   {"internal/report/render"},
	"internal/report/compare": {"internal/report/render"},
	"internal/report/plan":    {"internal/report/render"},
	"internal/report/predict": {"internal/report/render"},
	"internal/report/lab":     {"internal/report/render"},
	"internal/report/fleet":   {"internal/report/render"},
	"internal/report/manual":  nil,
	"internal/report/vantage": {"internal/report/render"},
	"internal/report/watch":   {"internal/report/render"},

	"internal/live/table":  {"internal/live"},
	"internal/live/filter": {"internal/live", "internal/live/table"},
	"internal/live/tape":   {"internal/live"},

	"internal/lab/sweep/grid":     {"internal/lab/traffic"},
	"internal/lab/sweep/language": {"internal/lab/sweep/grid", "internal/lab/traffic"},
	"internal/lab/sweep/store":    {"internal/lab/sweep/grid", "internal/lab/traffic"},

	"cmd/unchoke/internal/command":    {"cmd/unchoke/internal/command/small"},
	"cmd/unchoke/internal/cli":        {"cmd/unchoke/internal/command"},
	"cmd/unchoke/internal/labcmd":     {"cmd/unchoke/internal/cli"},
	"cmd/unchoke/internal/measurecmd": {"cmd/unchoke/internal/cli", "cmd/unchoke/internal/command", "cmd/unchoke/internal/labcmd"},
	"cmd/unchoke/internal/watchcmd":   {"cmd/unchoke/internal/cli", "cmd/unchoke/internal/command", "cmd/unchoke/internal/labcmd"},
	"cmd/unchoke/internal/tunecmd":    {"cmd/unchoke/internal/cli"},
	"cmd/unchoke/internal/fleetcmd":   {"cmd/unchoke/internal/cli", "cmd/unchoke/internal/tunecmd"},
}

// programs connect the areas. Nothing imports them.
var programs = []string{"cmd", "internal/tools", "internal/arch"}

// libraries are for others to import too: of other code than the standard
// library they take what is listed and no more.
var libraries = map[string][]string{
	"tcpinfo": {"golang.org/x/sys"},
	"iperf3":  {"golang.org/x/sys", module + "/tcpinfo"},
}

// testOnly are packages that only tests import.
var testOnly = []string{"cmd/unchoke/internal/ttytest", "internal/diagnose/diagnosetest", "internal/fleet/fleettest", "internal/lab/labtest", "internal/live/livetest", "internal/linux/messagetest", "internal/linux/netns/netnstest", "internal/probe/servertest", "internal/remote/sshtest", "internal/report/rendertest", "internal/tools/schema", "internal/tune/tree/treetest"}

// owners are the areas that alone may import a module.
var owners = map[string][]string{
	"charm.land":                               {"internal/tui"},
	"github.com/prometheus/client_golang":      {"internal/prom"},
	"github.com/chromedp/chromedp":             {"internal/web"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"internal/tools"},
	"github.com/spf13/cobra":                   {"cmd"},
	"github.com/vishvananda/netlink":           {"internal/linux"},
	"github.com/vishvananda/netns":             {"internal/linux"},
	"go.yaml.in/yaml/v4":                       {"internal/lab", "internal/fleet", "internal/tools"},
}

// goPackage is what go list tells of a package.
type goPackage struct {
	ImportPath string
	Dir        string
	Doc        string   // the first sentence of the package comment
	GoFiles    []string // without tests
	Imports    []string // of GoFiles
}

// within says whether a package is at or beneath a path.
func within(pkg, path string) bool {
	return pkg == path || strings.HasPrefix(pkg, path+"/")
}

func anyWithin(pkg string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return within(pkg, path) })
}

// area finds a package's area and row; ok is false where the table lacks it.
func area(pkg string) (name string, row int, ok bool) {
	for row, areas := range rows {
		for _, name := range areas {
			if within(pkg, module+"/"+name) {
				return name, row, true
			}
		}
	}
	for _, name := range programs {
		if within(pkg, module+"/"+name) {
			return name, len(rows), true
		}
	}
	return "", 0, false
}

// objection says what the tables have against pkg importing imported, if
// anything.
func objection(pkg, imported string) string {
	from, row, known := area(pkg)
	if !known {
		return "the package is in no row: give it a place in the table"
	}
	if to, toRow, ours := area(imported); ours && to != from {
		if slices.Contains(programs, to) {
			return "a program is not a library"
		}
		if toRow >= row && !slices.Contains(beside[from], to) {
			return fmt.Sprintf("%s is in row %d, not above %s in row %d", to, toRow, from, row)
		}
	}
	room := strings.TrimPrefix(pkg, module+"/")
	if allowed, isRoom := rooms[room]; isRoom && within(imported, module+"/"+from) && !slices.Contains(allowed, strings.TrimPrefix(imported, module+"/")) {
		return room + " is a room of its own"
	}
	standard := !strings.Contains(strings.Split(imported, "/")[0], ".") && !within(imported, module)
	if allowed, isLibrary := libraries[from]; isLibrary && !standard && !within(imported, module+"/"+from) && !anyWithin(imported, allowed) {
		return "a public library imports the standard library and " + strings.Join(allowed, ", ")
	}
	if anyWithin(strings.TrimPrefix(imported, module+"/"), testOnly) {
		return "it is for tests"
	}
	for owned, by := range owners {
		if within(imported, owned) && !slices.Contains(by, from) {
			return "only " + strings.Join(by, ", ") + " import it"
		}
	}
	return ""
}

func TestImports(t *testing.T) {
	for _, pkg := range packages(t) {
		for _, imported := range pkg.Imports {
			if why := objection(pkg.ImportPath, imported); why != "" {
				t.Errorf("%s imports %s: %s", pkg.ImportPath, imported, why)
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	for _, pkg := range packages(t) {
		if len(pkg.GoFiles) > 0 && pkg.Doc == "" {
			t.Errorf("%s has no package comment", pkg.ImportPath)
		}
	}
}

// The table objects to what it is there to prevent.
func TestObjection(t *testing.T) {
	for _, c := range []struct {
		pkg, imported string
		objects       bool
	}{
		{"unchoke/internal/probe", "unchoke/internal/record", false},
		{"unchoke/internal/probe", "unchoke/internal/diagnose", true},
		{"unchoke/internal/probe", "unchoke/internal/audit", true},
		{"unchoke/internal/path", "unchoke/internal/unit", false},
		{"unchoke/internal/unit", "unchoke/internal/path", true},
		{"unchoke/internal/lab/machine", "unchoke/internal/lab/network", false},
		{"unchoke/internal/lab/machine", "unchoke/internal/tune", true},
		{"unchoke/internal/diagnose/rules", "unchoke/internal/diagnose/view", false},
		{"unchoke/internal/diagnose/view", "unchoke/internal/diagnose/rules", true},
		{"unchoke/internal/diagnose/seen", "unchoke/internal/diagnose/view", true},
		{"unchoke/internal/labor", "unchoke/internal/unit", true},
		{"unchoke/internal/report", "unchoke/cmd/unchoke", true},
		{"unchoke/cmd/unchoke", "unchoke/internal/web", false},
		{"unchoke/iperf3", "unchoke/tcpinfo", false},
		{"unchoke/iperf3", "unchoke/internal/unit", true},
		{"unchoke/iperf3", "golang.org/x/sys/unix", false},
		{"unchoke/iperf3", "golang.org/x/sync/errgroup", true},
		{"unchoke/tcpinfo", "encoding/binary", false},
		{"unchoke/internal/report/check", "unchoke/internal/report/render", false},
		{"unchoke/internal/report/check", "unchoke/internal/report/plan", true},
		{"unchoke/internal/report/render", "unchoke/internal/report/check", true},
		{"unchoke/internal/tui", "github.com/spf13/cobra", true},
		{"unchoke/internal/tools/articles", "unchoke/internal/lab/labtest", true},
	} {
		if why := objection(c.pkg, c.imported); (why != "") != c.objects {
			t.Errorf("%s imports %s: objection %q", c.pkg, c.imported, why)
		}
	}
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports", module+"/...")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg goPackage
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("read go list's output: %v", err)
		}
		all = append(all, pkg)
	}
}
