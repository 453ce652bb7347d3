package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// The buffers of a far host that did not tell are not lowered: what these paths want is less
// than Linux gives by default.
func TestFarBuffersAreNotLowered(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	for _, c := range []struct {
		file  string
		cause finding.Cause
		says  string
	}{
		{"send-buffer--far-long-path", finding.SendBuffer, "tcp_wmem allows 4.00 MiB by default (sysctl net.ipv4.tcp_wmem tells what it is there), which is enough"},
		{"several/receive-window+loss-limited--growing-back-after-outages", finding.ReceiveWindow, "tcp_rmem allows 6.00 MiB by default"},
	} {
		run := load(t, "testdata/"+c.file+".json.gz")
		run.FarHost = nil
		seen := false
		for _, f := range Diagnose(run) {
			for _, r := range f.Remedies {
				if f.Cause != c.cause || r.Host != "far" {
					continue
				}
				seen = true
				if !strings.HasPrefix(r.What, c.says) || r.Command != "" || r.Action != nil {
					t.Errorf("%s: %+v", c.file, r)
				}
			}
		}
		if !seen {
			t.Errorf("%s: no remedy for the far host", c.file)
		}
	}
}

// On Windows and macOS no remedy for this host is a command of Linux's.
func TestNoLinuxCommandElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	systems := map[string]struct {
		system tcpinfo.System
		length int
		near   record.Host
	}{
		"Windows": {tcpinfo.Windows, 136, record.Host{OS: "windows", CC: "cubic", WindowScaling: true, SACK: true, Autotuning: "normal"}},
		"macOS":   {tcpinfo.Darwin, 112, record.Host{OS: "darwin", CC: "cubic", WindowScaling: true, SACK: true, Autotuning: "normal", TCPRmem: [3]int64{1 << 17, 1 << 17, 4 << 20}}},
	}
	for name, s := range systems {
		for _, file := range []string{"receive-window--near", "loss-limited--wireguard-up", "mtu-blackhole--up-only"} {
			run := load(t, "testdata/"+file+".json.gz")
			run.Near = s.near
			fromSystem(t, run, s.system, s.length)
			told := false
			for _, f := range Diagnose(run) {
				for _, r := range f.Remedies {
					if r.Host == "near" && (r.Action != nil || r.Command != "") {
						t.Errorf("%s, %s: %+v", name, file, r)
					}
					told = told || r.Host == "near" && strings.Contains(r.What, fmt.Sprintf("This host runs %s", name))
				}
			}
			if !told {
				t.Errorf("%s, %s: no remedy says what to do on that system", name, file)
			}
		}
	}
}

// Nor in the findings of a download's check.
func TestNoLinuxCommandForURLs(t *testing.T) {
	run := load(t, "fetched/testdata/receive-window--small-rmem.json.gz")
	run.Near = record.Host{OS: "darwin", CC: "cubic", WindowScaling: true, SACK: true}
	for _, f := range Diagnose(run) {
		for _, r := range f.Remedies {
			if r.Host == "near" && (r.Command != "" || !strings.Contains(r.What, "This host runs macOS")) {
				t.Errorf("%+v", r)
			}
		}
		if f.Cause != finding.ReceiveWindow {
			t.Errorf("%s", f.Cause)
		}
	}
}
