package diagnose

import (
	"encoding/json"
	"strings"
	"testing"

	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// as is what another system would have told of the same connection: the fields
// that its structure has.
func as(t *testing.T, system tcpinfo.System, length int, i tcpinfo.Info) tcpinfo.Info {
	t.Helper()
	doc, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(doc, &fields); err != nil {
		t.Fatal(err)
	}
	fields["system"], fields["length_bytes"] = system.String(), length
	if doc, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	var out tcpinfo.Info
	if err := json.Unmarshal(doc, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// otherSystems are fixtures in which this host sends, one at least of each cause
// that its TCP_INFO tells apart on Linux.
var otherSystems = []string{
	"congested--four-cubics", "congested--one-cubic-both-ways", "healthy--one-bdp-of-queue", "loss-limited--flow-rsync-over-ssh",
	"loss-limited--wireguard-up", "mtu-blackhole--up-only", "reordering--paretonormal", "reordering--up-only",
	"send-buffer--bursts-near-the-bdp", "shallow-buffer--forty-packets",
}

// A check from macOS, Windows or an older Linux sees less. What it does not see it must not take
// for zero: its verdict is that from Linux, or not a sure one.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	for _, s := range []struct {
		name   string
		system tcpinfo.System
		length int
	}{
		{"macOS", tcpinfo.Darwin, 112},
		{"Windows, version 0", tcpinfo.Windows, 88},
		{"Windows, version 1", tcpinfo.Windows, 136},
		{"Linux 4.4", tcpinfo.Linux, 144},
		{"Linux 4.18", tcpinfo.Linux, 200},
		{"Linux 6.1", tcpinfo.Linux, 232},
	} {
		for _, name := range otherSystems {
			want, _, _ := strings.Cut(name, "--")
			run := load(t, "testdata/"+name+".json.gz")
			fromSystem(t, run, s.system, s.length)
			for _, f := range Diagnose(run) {
				if f.Direction != record.Up || string(f.Cause) == want {
					continue
				}
				if f.Confidence > share(0.5) {
					t.Errorf("%s: %s: %s with confidence %v", s.name, name, f.Cause, f.Confidence)
				}
			}
		}
	}
}
