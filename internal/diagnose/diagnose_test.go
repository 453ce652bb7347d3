package diagnose

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// The fixtures are records of lab paths; each is named for its truth, and for
// what makes it worth keeping.
func TestFixtures(t *testing.T) {
	for _, file := range diagnosetest.Glob(t, "testdata/*.json.gz") {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		want, _, _ := strings.Cut(name, "--")
		t.Run(name, func(t *testing.T) {
			run := load(t, file)
			findings := Diagnose(run)
			if got := finding.Verdict(findings); string(got) != want {
				t.Errorf("verdict %s, want %s", got, want)
				for _, d := range record.Directions {
					t.Log(view.Of(run, d))
				}
			}
			eachOnce(t, findings)
			for _, f := range findings {
				wellFormed(t, f)
				// In the lab's virtual time processors cost nothing.
				if f.Cause == finding.CPUBound && want != string(f.Cause) {
					t.Errorf("a processor that was full: %s", f.Summary)
				}
				switch f.Cause {
				case finding.Healthy, finding.SendBuffer, finding.ReceiveWindow:
					forbidBBR(t, want, f)
				}
			}
			headersTell(t, run, want)
			each(run, func(x *record.Transfer) { x.CC = "bbr" })
			for _, f := range Diagnose(run) {
				forbidBBR(t, want+" with BBR", f)
			}
		})
	}
}

// headersTell checks that the headers of packets make a fixture's verdict, where it has
// some of a check.
func headersTell(t *testing.T, run *record.Run, verdict string) {
	t.Helper()
	if run.Flow != nil || !slices.ContainsFunc(run.Transfers, func(x record.Transfer) bool { return x.Packets != nil }) {
		return
	}
	each(run, func(x *record.Transfer) { x.Packets = nil })
	if got := finding.Verdict(Diagnose(run)); string(got) == verdict {
		t.Errorf("%s, with the headers as without", got)
	}
}

// load returns a copy of a fixture that may be changed.
func load(t *testing.T, file string) *record.Run {
	t.Helper()
	return diagnosetest.Load(t, file)
}

// eachOnce checks that no cause is named twice in a direction.
func eachOnce(t *testing.T, all []finding.Finding) {
	t.Helper()
	for i, f := range all {
		if slices.ContainsFunc(all[:i], func(g finding.Finding) bool { return g.Cause == f.Cause && g.Direction == f.Direction }) {
			t.Errorf("%s %s twice", f.Cause, f.Direction)
		}
	}
}

// A rule that looks for what comes next, and finds what is named already, adds nothing.
func TestWhatIsNamedComesNotNext(t *testing.T) {
	run := load(t, "testdata/loss-limited--wireguard-up.json.gz")
	was, rules := Diagnose(run), behind
	t.Cleanup(func() { behind = rules })
	behind = append(slices.Clone(rules), func(_ *view.View, found []finding.Finding) *finding.Finding { return &found[0] })
	if all := Diagnose(run); len(all) != len(was) {
		t.Errorf("%d findings, were %d", len(all), len(was))
	}
}

// wellFormed checks what every finding owes its reader.
func wellFormed(t *testing.T, f finding.Finding) {
	t.Helper()
	if f.Confidence <= 0 || f.Confidence >= 1 {
		t.Errorf("%s: confidence %v", f.Cause, f.Confidence)
	}
	if f.Summary == "" || len(f.Evidence) == 0 {
		t.Errorf("%s: no summary or no evidence", f.Cause)
	}
	for _, e := range f.Evidence {
		if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
			t.Errorf("%s: %s is %v", f.Cause, e.What, e.Value)
		}
	}
	if f.Cause != finding.Healthy && f.Cause != finding.Unclear && len(f.Remedies) == 0 {
		t.Errorf("%s: no remedy", f.Cause)
	}
}

// forbidBBR fails where a finding tells to switch to BBR: a sender that runs it already,
// one on a clean path and one that a window holds back gain nothing from it.
func forbidBBR(t *testing.T, name string, f finding.Finding) {
	t.Helper()
	for _, r := range f.Remedies {
		if strings.Contains(r.Command, "tcp_congestion_control=bbr") {
			t.Errorf("%s: %s tells to switch to BBR", name, f.Cause)
		}
	}
}

// A record may lack anything: a run ends early, a firewall eats UDP, a kernel
// does not tell.
func TestRecordsWithHoles(t *testing.T) {
	holes := map[string]func(*record.Run){
		"nothing":        func(r *record.Run) { *r = record.Run{} },
		"no echoes":      func(r *record.Run) { r.Echoes = nil },
		"no transfers":   func(r *record.Run) { r.Transfers = nil },
		"no intervals":   func(r *record.Run) { each(r, func(t *record.Transfer) { t.Intervals = nil }) },
		"no TCP_INFO":    func(r *record.Run) { each(r, func(t *record.Transfer) { t.Series = nil }) },
		"empty TCP_INFO": func(r *record.Run) { each(r, func(t *record.Transfer) { emptied(t) }) },
		"no duration":    func(r *record.Run) { each(r, func(t *record.Transfer) { t.Duration = 0 }) },
		"no UDP": func(r *record.Run) {
			var tcp []record.Transfer
			each(r, func(t *record.Transfer) {
				if t.UDP == nil {
					tcp = append(tcp, *t)
				}
			})
			r.Transfers = tcp
		},
	}
	for _, file := range diagnosetest.Glob(t, "testdata/*.json.gz") {
		for name, dig := range holes {
			run := load(t, file)
			dig(run)
			for _, f := range Diagnose(run) {
				if math.IsNaN(f.Confidence) {
					t.Errorf("%s, %s: %s has no confidence", file, name, f.Cause)
				}
			}
			if p := MeasuredPath(run); math.IsNaN(p.RTT + p.Jitter + p.Loss) {
				t.Errorf("%s, %s: path %+v", file, name, p)
			}
		}
	}
}

func each(r *record.Run, do func(*record.Transfer)) {
	for i := range r.Transfers {
		do(&r.Transfers[i])
	}
}

func emptied(t *record.Transfer) {
	for i := range t.Series {
		for j := range t.Series[i].Samples {
			t.Series[i].Samples[j] = record.Sample{At: t.Series[i].Samples[j].At}
		}
	}
}

// A server that never ends its test leaves one transfer: what the path carries
// is not known, unless the stream kept a queue standing.
func TestOneTransferTellsNothingOfThePath(t *testing.T) {
	const sure = 0.88
	for file, want := range map[string]finding.Cause{
		"testdata/healthy--fq-codel-in-the-router.json.gz": finding.Unclear,
		"testdata/healthy--one-bdp-of-queue.json.gz":       finding.Healthy,
	} {
		run := load(t, file)
		run.Transfers = slices.DeleteFunc(run.Transfers, func(tr record.Transfer) bool { return tr.Name != "down-1" })
		findings := Diagnose(run)
		if got := finding.Verdict(findings); got != want || findings[0].Confidence > share(sure) {
			t.Errorf("%s: with one transfer the verdict is %s, %.2f; want %s, at most %.2f", file, got, findings[0].Confidence, want, sure)
		}
	}
}

// Without UDP the diagnosis goes by TCP alone, which tells little where the delay varies,
// nothing of losses that UDP alone met, and nothing of the queue that the stream keeps
// clear of.
func TestLossWithoutUDP(t *testing.T) {
	tried := 0
	for _, file := range diagnosetest.Glob(t, "testdata/loss-limited--*.json.gz") {
		if strings.Contains(file, "behind-jitter") || strings.Contains(file, "udp-met") || strings.Contains(file, "met-once") {
			continue
		}
		tried++
		run := load(t, file)
		var tcp []record.Transfer
		for _, tr := range run.Transfers {
			if tr.UDP == nil {
				tcp = append(tcp, tr)
			}
		}
		run.Transfers, run.UDPBlocked = tcp, true
		if got := finding.Verdict(Diagnose(run)); got != finding.LossLimited {
			t.Errorf("%s: without UDP the verdict is %s", file, got)
		}
	}
	if tried == 0 {
		t.Error("no record was tried")
	}
}

func ExampleDiagnose() {
	fmt.Println(finding.Verdict(Diagnose(&record.Run{})))
	// Output: unclear
}
