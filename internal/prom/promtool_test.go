package prom

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"unchoke/internal/live/livetest"
)

// contrib is what the project ships for who runs Prometheus.
const contrib = "../../contrib"

// promtool runs Prometheus's own tool in the directory of the rules.
func promtool(t *testing.T, input []byte, arguments ...string) {
	t.Helper()
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("needs promtool: apt-get install prometheus")
	}
	cmd := exec.CommandContext(t.Context(), "promtool", arguments...)
	cmd.Dir, cmd.Stdin = filepath.Join(contrib, "prometheus"), bytes.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}

// exposition is what a scrape reads, with series of every kind.
func exposition(t *testing.T) []byte {
	t.Helper()
	o := options
	o.Top = 10
	e := New(o)
	source := livetest.NewSource(100, 1)
	for range 3 {
		s, err := source.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e.Observe(s)
	}
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.Bytes()
}

// Names, units and help are as Prometheus's conventions have them.
func TestCheckMetrics(t *testing.T) {
	// The process collector's names are not ours.
	var ours [][]byte
	for line := range bytes.Lines(exposition(t)) {
		if bytes.Contains(line, []byte("unchoke_")) {
			ours = append(ours, line)
		}
	}
	if len(ours) < 100 {
		t.Fatalf("%d lines", len(ours))
	}
	promtool(t, bytes.Join(ours, nil), "check", "metrics")
}

func TestRules(t *testing.T) {
	promtool(t, nil, "check", "rules", "unchoke.rules.yml", "unchoke.alerts.yml")
	promtool(t, nil, "test", "rules", "unchoke.tests.yml")
}

// Rules and dashboard ask for nothing that is not exported or recorded.
func TestNamesInContrib(t *testing.T) {
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)`).FindAllStringSubmatch(string(exposition(t)), -1) {
		known[m[1]] = true
		if m[2] == "histogram" {
			known[m[1]+"_bucket"], known[m[1]+"_sum"], known[m[1]+"_count"] = true, true, true
		}
	}
	rules := read(t, "prometheus/unchoke.rules.yml")
	for _, m := range regexp.MustCompile(`record: (\S+)`).FindAllStringSubmatch(rules, -1) {
		known[m[1]] = true
	}
	name := regexp.MustCompile(`(service:)?\bunchoke_(tcp|watch|build)_\w+(:\w+)?`)
	for _, file := range []string{"prometheus/unchoke.rules.yml", "prometheus/unchoke.alerts.yml", "grafana/unchoke.json"} {
		names := name.FindAllString(read(t, file), -1)
		if len(names) < 5 {
			t.Errorf("%s has %d names of metrics", file, len(names))
		}
		for _, n := range names {
			if !known[n] {
				t.Errorf("%s asks for %s, which nothing exports or records", file, n)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(contrib, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
