package prom

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"unchoke/internal/lab/labtest"
)

// A real Prometheus scrapes two hosts whose connections were recorded in the lab
// by `unchoke watch --record`, each with the program itself: lossy has six CUBIC
// streams at 50 ms with 0.5 % of loss, clean has one that fills 100 Mbit/s. The
// shipped rules fire on the first host, and not on the second. Only their times
// are shorter here; promtool tests them as they are.
func TestRealPrometheus(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	if _, err := exec.LookPath("prometheus"); err != nil {
		t.Skip("needs prometheus: apt-get install prometheus")
	}
	program := labtest.NeedProgram(t)
	dir := t.TempDir()
	lossy, clean := freeAddress(t), freeAddress(t)
	config := fmt.Sprintf(`
global: {scrape_interval: 1s, scrape_timeout: 900ms, evaluation_interval: 1s}
rule_files: [unchoke.rules.yml, unchoke.alerts.yml]
scrape_configs:
- job_name: unchoke
  static_configs:
  - {targets: ['%s'], labels: {instance: lossy}}
  - {targets: ['%s'], labels: {instance: clean}}
`, lossy, clean)
	for _, name := range []string{"unchoke.rules.yml", "unchoke.alerts.yml"} {
		write(t, filepath.Join(dir, name), hasten(t, read(t, "prometheus/"+name)))
	}
	write(t, filepath.Join(dir, "prometheus.yml"), config)
	api := startPrometheus(t, dir, "native-histograms")
	plain := startPrometheus(t, dir) // knows classic histograms alone
	// The recordings begin when all is ready, and last 48 s at half their speed.
	replay(t, program, "lossy", lossy)
	replay(t, program, "clean", clean)

	// Every panel of the dashboard has something to show, as Grafana asks for it
	// with all its variables at All.
	shown := dashboard(t)
	delete(shown, "Warnings, 1") // none of the flows has one
	for _, rule := range []string{"rtt_seconds:p50_5m", "rtt_seconds:p95_5m", "jitter_rtt_ratio:p50_5m", "flow_rate_bytes_per_second:p50_5m"} {
		shown[rule] = "service:unchoke_tcp_" + rule
	}
	// waiting are what is still to be seen; each says what there is instead.
	waiting := map[string]func() (string, bool){
		"the alert fires on lossy, and on nothing else": func() (string, bool) {
			fired := api.query(t, `ALERTS{alertname="UnchokeLossLimited",alertstate="firing"}`)
			return fmt.Sprint(fired), len(fired) == 1 && fired["lossy"] != ""
		},
		"both were scraped, and sent enough for the alert": func() (string, bool) {
			rates := api.query(t, "sum by (instance) (service:unchoke_tcp_segments_sent:rate5m) > 100")
			return fmt.Sprint(rates), len(rates) == 2
		},
		// The classic histogram would have the name with _bucket alone.
		"the median RTT by native histograms": func() (string, bool) {
			rtt := api.query(t, `histogram_quantile(0.5, sum by (instance) (rate(unchoke_tcp_rtt_seconds[10s])))`)
			return fmt.Sprint(rtt), strings.HasPrefix(rtt["lossy"], "0.05")
		},
	}
	for panel, expression := range shown {
		for kind, p := range map[string]realServer{"native": api, "classic": plain} {
			waiting[fmt.Sprintf("%s with %s histograms", panel, kind)] = func() (string, bool) {
				found := p.query(t, expression)
				return expression, len(found) > 0
			}
		}
	}
	for began := time.Now(); len(waiting) > 0; time.Sleep(500 * time.Millisecond) {
		for what, seen := range waiting {
			has, is := seen()
			if is {
				delete(waiting, what)
			} else if time.Since(began) > 45*time.Second {
				t.Errorf("not seen: %s: %s", what, has)
			}
		}
		// What is recorded is not of now: that the watch is stuck is right.
		if on := api.query(t, `ALERTS{instance="clean",alertname!="UnchokeStuck"}`); len(on) > 0 {
			t.Errorf("an alert is pending or fires on the clean path: %v", on)
		}
		if t.Failed() {
			return
		}
	}
}

// dashboard are the expressions of the shipped dashboard, by panel and number.
func dashboard(t *testing.T) map[string]string {
	t.Helper()
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/unchoke.json")), &d); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, p := range d.Panels {
		for i, target := range p.Targets {
			expression := strings.ReplaceAll(target.Expr, "$__rate_interval", "10s")
			all[fmt.Sprintf("%s, %d", p.Title, i+1)] = regexp.MustCompile(`"\$\w+"`).ReplaceAllString(expression, `".*"`)
		}
	}
	if len(all) < 10 {
		t.Fatalf("the dashboard has %d expressions", len(all))
	}
	return all
}

// replay serves a recording's metrics at an address.
func replay(t *testing.T, program, host, address string) {
	t.Helper()
	cmd := exec.Command(program, "watch", "--replay", filepath.Join("testdata", host+".watch"), "--speed", "0.5", "--prometheus", address, "--prometheus-top", "5", "--plain")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil || !strings.Contains(line, "http://"+address+"/metrics") {
		t.Fatalf("%q, %v", line, err)
	}
}

// freeAddress is one that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts a program that ends with the test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
}

// hasten turns the rules' minutes into seconds.
func hasten(t *testing.T, rules string) string {
	t.Helper()
	minutes := regexp.MustCompile(`\[5m\]|for: (10|2)m`)
	if !minutes.MatchString(rules) {
		t.Fatal("the rules have other times")
	}
	return minutes.ReplaceAllStringFunc(rules, func(s string) string {
		if s == "[5m]" {
			return "[5s]"
		}
		return "for: 2s"
	})
}

// realServer is where Prometheus answers.
type realServer string

func startPrometheus(t *testing.T, dir string, features ...string) realServer {
	t.Helper()
	address := freeAddress(t)
	cmd := exec.Command("prometheus", "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+t.TempDir(),
		"--web.listen-address="+address, "--enable-feature="+strings.Join(features, ","), "--log.level=warn")
	start(t, cmd)
	for until := time.Now().Add(60 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		answer, err := http.Get("http://" + address + "/-/ready")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return realServer(address)
			}
		}
		if time.Now().After(until) {
			t.Fatalf("prometheus is not ready: %v", err)
		}
	}
}

// query asks for values, by host.
func (p realServer) query(t *testing.T, expression string) map[string]string {
	t.Helper()
	answer, err := http.Get("http://" + string(p) + "/api/v1/query?query=" + url.QueryEscape(expression))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var out struct {
		Error string `json:"error"`
		Data  struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
				Value  [2]any            `json:"value"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil || out.Error != "" {
		t.Fatalf("%s: %s %v", expression, out.Error, err)
	}
	values := map[string]string{}
	for _, r := range out.Data.Result {
		values[r.Metric["instance"]] = fmt.Sprint(r.Metric["alertname"], r.Value[1])
	}
	return values
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
