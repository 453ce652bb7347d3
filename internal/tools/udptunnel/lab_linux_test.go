package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/record"
)

// A tunnel program whose socket holds a few packets drops those that come in
// bursts: one stream of stock iperf3 gains several times its rate with a larger
// buffer, and the check names the socket where this host is the receiver.
func TestSocketDropsInTheLab(t *testing.T) {
	unchoke := labtest.NeedLab(t)
	tunnel := build(t)
	small, smallRate := inLab(t, unchoke, tunnel, 16<<10)
	large, largeRate := inLab(t, unchoke, tunnel, 8<<20)
	if largeRate < 1.5*smallRate {
		t.Fatalf("iperf3 carries %.3g bit/s with a small buffer and %.3g with a large one: the buffer is not the cause", smallRate, largeRate)
	}
	f, ok := ofDown(small)
	if !ok || f.Cause != finding.SocketDrops || f.Confidence < 0.8 {
		t.Errorf("with the small buffer: %s, %.2f: %s", f.Cause, f.Confidence, f.Summary)
	}
	if !strings.Contains(f.Summary, "udptunnel on this host, whose buffer holds 32.0 KiB") {
		t.Errorf("the summary does not name the socket: %s", f.Summary)
	}
	if f, ok := ofDown(large); !ok || f.Cause == finding.SocketDrops {
		t.Errorf("with the large buffer: %s", f.Summary)
	}
	for _, f := range append(small, large...) {
		if f.Cause == finding.CPUBound {
			t.Errorf("in virtual time: %s", f.Summary)
		}
	}
}

func ofDown(all []finding.Finding) (finding.Finding, bool) {
	i := slices.IndexFunc(all, func(f finding.Finding) bool { return f.Direction == record.Down })
	if i < 0 {
		return finding.Finding{}, false
	}
	return all[i], true
}

// build builds the program where the lab can read it.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "udptunnel")
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// inLab runs stock iperf3 down a tunnel whose near socket holds so many bytes,
// and then a check.
func inLab(t *testing.T, unchoke, tunnel string, buffer int) ([]finding.Finding, float64) {
	t.Helper()
	end := func(self, peer, buffer int) string {
		return fmt.Sprintf("%s -device tun0 -address 10.99.0.%d/24 -local 10.0.0.%d:4000 -peer 10.0.0.%d:4000 -buffer %d -pause 10ms &",
			tunnel, self, self, peer, buffer)
	}
	near := end(1, 2, buffer) + " sleep 0.5; iperf3 -c 10.99.0.2 -t 5 -R -J; echo; echo CHECK; XDG_STATE_HOME=/tmp " + unchoke + " check --quick --json 10.99.0.2"
	far := end(2, 1, 8<<20) + " exec iperf3 -s"
	cmd := exec.Command(unchoke, "lab", "exec", "--path", "rtt=40ms,rate=30mbit", "--far", far, "--", "sh", "-c", near)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	stock, check, ok := strings.Cut(string(out), "CHECK\n")
	var iperf struct {
		End struct {
			Received struct {
				Rate float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	var document struct {
		Findings []finding.Finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(stock), &iperf); err != nil || !ok {
		t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal([]byte(check), &document); err != nil {
		t.Fatalf("%v: %s", err, check)
	}
	return document.Findings, iperf.End.Received.Rate
}
