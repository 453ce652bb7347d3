package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"golang.org/x/sys/unix"

	"unchoke/internal/lab"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/path"
)

var (
	write = flag.String("write", "", "write the table of results to this `file`, as Markdown")
	image = flag.String("kernel", "", "the lab kernel to test, a `file` or a key (default: the one in use)")
)

// Variables that tell a process inside the lab what it is.
const (
	farVariable        = "CONFORMANCE_FAR"
	experimentVariable = "CONFORMANCE_EXPERIMENT"
)

func TestMain(m *testing.M) {
	lab.Main()
	if name := os.Getenv(experimentVariable); name != "" {
		if err := inside(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// inside is this program's work in the lab: lending far's sockets, or running
// an experiment on near and printing its result.
func inside(name string) error {
	if os.Getenv(farVariable) != "" {
		return lend()
	}
	for _, e := range slices.Concat(experiments, bottlenecks, seeded) {
		if e.name() != name {
			continue
		}
		result, err := e.measure()
		if err != nil {
			return err
		}
		result.Kernel, err = release()
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	return fmt.Errorf("no experiment %q", name)
}

// release is the running kernel's.
func release() (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", fmt.Errorf("ask for the kernel's release: %w", err)
	}
	return unix.ByteSliceToString(u.Release[:]), nil
}

// result is what an experiment found.
type result struct {
	Kernel  string
	Figures []figure
	// Trace is anything that must be the same in every run with one seed and
	// another in a run with another seed; empty if the experiment has no such.
	Trace string
}

func TestConformance(t *testing.T) {
	labtest.NeedKernelNamed(t, *image)
	var version string
	var rows []row
	ran := 0
	all := slices.Concat(experiments, bottlenecks)
	for _, e := range all {
		t.Run(e.name(), func(t *testing.T) {
			ran++
			r := run(t, e, 1)
			version = r.Kernel
			for _, f := range r.Figures {
				rows = append(rows, row{e, f})
				if !f.OK {
					t.Errorf("%s: asked %s, measured %s, within %s, n = %d", f.What, f.Asked, f.Measured, f.Within, f.N)
				}
			}
		})
	}
	t.Logf("Linux %s\n%s", version, plainTable(rows))
	if *write != "" && ran < len(all) {
		t.Fatalf("-run left %d of %d experiments out: nothing written", len(all)-ran, len(all))
	}
	if *write != "" && !t.Failed() {
		if err := os.WriteFile(*write, page(version, rows), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSeed runs the same path three times: twice with one seed.
func TestSeed(t *testing.T) {
	labtest.NeedKernelNamed(t, *image)
	for _, e := range seeded {
		first, again, other := run(t, e, 1), run(t, e, 1), run(t, e, 2)
		if first.Trace != again.Trace {
			t.Errorf("%s: seed 1 gave %s and then %s", e.spec, first.Trace, again.Trace)
		}
		if first.Trace == other.Trace {
			t.Errorf("%s: seeds 1 and 2 both gave %s", e.spec, first.Trace)
		}
	}
}

// run runs an experiment in a machine of its own.
func run(t *testing.T, e experiment, seed uint64) result {
	t.Helper()
	p, err := path.Parse(e.spec)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	farCommand := e.far
	if farCommand == "" {
		farCommand = farVariable + "=1 exec " + self
	}
	var out, messages bytes.Buffer
	status, err := lab.Exec(t.Context(), lab.Command{
		Path: p, Seed: seed,
		Near: []string{self}, Far: farCommand,
		Env:    append(os.Environ(), experimentVariable+"="+e.name()),
		Stdout: &out, Stderr: &messages,
		Kernel: *image,
	})
	if err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s", status, err, messages.Bytes())
	}
	var r result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("read the result %q: %v", out.Bytes(), err)
	}
	return r
}

type row struct {
	experiment
	figure
}

func (r row) cells() []string {
	verdict := "yes"
	if !r.OK {
		verdict = "NO"
	}
	return []string{r.key, r.spec, r.What, r.Asked, r.Measured, r.Within, fmt.Sprint(r.N), verdict}
}

var header = []string{"key", "path", "what", "requested", "measured", "tolerance", "n", "pass"}

func plainTable(rows []row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r.cells(), "\t"))
	}
	w.Flush()
	return b.String()
}

// page is docs/conformance.md.
func page(version string, rows []row) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, pageHead, version, filepath.Base(*write))
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, r := range rows {
		cells := r.cells()
		cells[1] = "`" + cells[1] + "`"
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.Bytes()
}

const pageHead = `# Does the lab do what it says?

Every path key is measured from the hosts, with packets that carry their own
numbers and times, with ping and with stock iperf3, and compared with what was
requested. Both ends of a path share one clock, so one-way delays are exact.

- **Rates, queues and policers count link-layer frames**, as tc does: the IP
  packet and 14 bytes of Ethernet header.
- **Loss** passes if the 99 %% binomial interval around the measured loss
  contains the requested one. Losses of the burst model are correlated, so its
  interval is wider.
- **Jitter** is a standard deviation for every distribution; its quantiles
  are given in standard deviations from the mean. ` + "`pareto`" + ` and ` + "`paretonormal`" + `
  have iproute2's shapes but not its scale: the deviation of its pareto.dist is
  0.82.
- With ` + "`order=keep`" + ` a packet that would overtake waits for the one before it. So
  a single packet meets the requested jitter; in a dense stream the mean delay
  is longer and the deviation smaller.
- An AQM is tested for its purpose: the queueing delay of a ping alongside bulk
  streams, and the share of TCP alongside UDP that does not back off. A tunnel
  is one flow to it.
- Cross traffic (` + "`cross`" + `) is counted at the card of the host that receives it.
- A delay cannot be below 0: if the jitter is not small compared with half the
  RTT, packets in the lower tail are sent at once.

Linux %s. This page is generated by

    go test ./internal/lab/conformance -run TestConformance -write $PWD/docs/%s

`
