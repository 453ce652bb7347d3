package diagnose

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A sender with nothing to send and room in both windows is held by its buffer
// only where something shows that the buffer was full.
func TestSendBufferNeedsEvidence(t *testing.T) {
	const near, far = "testdata/send-buffer--bursts-near-the-bdp.json.gz", "testdata/send-buffer--far-long-path.json.gz"
	for _, c := range []struct {
		name, file string
		change     func(*record.Run)
		want       finding.Cause
	}{
		{"the buffer was full", near, func(*record.Run) {}, finding.SendBuffer},
		{"the buffer was nearly empty, and the kernel marked the program", near, func(r *record.Run) {
			r.Near.TCPWmem[2] = 4 << 20
		}, finding.AppLimited},
		{"nobody knows how large the buffer is", near, func(r *record.Run) {
			r.Near.TCPWmem[2] = 0
		}, finding.Unclear},
		{"the far program has the processor that it needs", far, func(*record.Run) {}, finding.SendBuffer},
		{"the far program's core is full", far, func(r *record.Run) {
			each(r, func(t *record.Transfer) { t.CPUFar = 0.97 })
		}, finding.AppLimited},
		{"this program's core is full, which only receives", far, func(r *record.Run) {
			each(r, func(t *record.Transfer) { t.CPUNear = 0.97 })
		}, finding.SendBuffer},
		{"eight streams share what one has", far, func(r *record.Run) {
			one := *transfer(r, record.Down)
			one.Name, one.Streams, one.SteadyRate = "down-8", 8, 1.1*one.SteadyRate
			r.Transfers = append(r.Transfers, one)
		}, finding.Unclear},
		{"eight streams carry eight times as much", far, func(r *record.Run) {
			one := *transfer(r, record.Down)
			one.Name, one.Streams, one.SteadyRate = "down-8", 8, 8*one.SteadyRate
			r.Transfers = append(r.Transfers, one)
		}, finding.SendBuffer},
	} {
		run := load(t, c.file)
		c.change(run)
		if got := finding.Verdict(Diagnose(run)); got != c.want {
			t.Errorf("%s: verdict %s, want %s", c.name, got, c.want)
			for _, d := range record.Directions {
				t.Log(view.Of(run, d))
			}
		}
	}
}

// transfer is the run's stream of a direction.
func transfer(r *record.Run, d record.Direction) *record.Transfer {
	for i := range r.Transfers {
		if t := &r.Transfers[i]; t.Direction == d && t.Protocol == record.TCP && t.Streams == 1 {
			return t
		}
	}
	return nil
}

// Where the connection has no window scaling, a larger buffer helps nobody: the remedy is
// for the host that has it off.
func TestWindowScaling(t *testing.T) {
	for near, want := range map[bool]string{true: "far", false: "near"} {
		run := load(t, "testdata/receive-window--no-scaling-at-288-ms.json.gz")
		run.Near.WindowScaling = near
		for _, f := range Diagnose(run) {
			if len(f.Remedies) == 0 {
				t.Errorf("%s, %s: no remedy", f.Cause, f.Direction)
				continue
			}
			r := f.Remedies[0]
			if r.Action == nil || r.Action.Kind != finding.KindWindowScaling || r.Host != want || r.Where.Host(f.Direction) != want {
				t.Errorf("%s, near scales: %v: %+v", f.Direction, near, r)
			}
		}
	}
}

// A receive buffer whose autotuning is off has to be let grow.
func TestFixedReceiveBuffer(t *testing.T) {
	for autotuning, want := range map[string]finding.Kind{"": finding.KindReceiveBuffer, "disabled": finding.KindAutotuning} {
		run := load(t, "testdata/receive-window--near.json.gz")
		run.Near.Autotuning = autotuning
		f := Diagnose(run)[0]
		if r := f.Remedies[0]; f.Cause != finding.ReceiveWindow || r.Action == nil || r.Action.Kind != want || r.Host != "near" {
			t.Errorf("autotuning %q: %s, %+v", autotuning, f.Cause, r)
		}
	}
}

// A bucket that is used up drops hundreds of packets at once, before which none waited, as
// chance does: but so much of that would leave a stream a fiftieth of what it has.
func TestNoChanceBeyondTheModel(t *testing.T) {
	run := load(t, "testdata/several/policed--hundreds-dropped-at-once-at-205-ms.json.gz")
	if all := Diagnose(run); finding.Named(all, finding.LossLimited) {
		t.Errorf("headers take a used-up bucket for chance: %+v", all)
	}
}
