package traffic

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"unchoke/internal/lab/kernel"
	"unchoke/internal/lab/machine"
	"unchoke/internal/lab/stage"
	"unchoke/internal/path"
)

// Run is one transfer over one path. What comes of it follows from the batch it
// is in, the kernel and this program, to the byte, and hardly from its place
// there: only where two threads are due at the same instant may the runs before
// decide which has its turn first, as in a burst that arrives whole.
type Run struct {
	Path path.Path `json:"path"`
	Seed uint64    `json:"seed"` // of everything random on the path and in the kernel
	Spec Spec      `json:"spec"`
	// CC is the sender's congestion control, set on its socket alone; empty is
	// the kernel's default.
	CC      string `json:"cc,omitempty"`
	Streams int    `json:"streams,omitempty"` // 0 is 1
	// Near and Far are how the hosts differ from stock ones.
	Near Host `json:"near,omitzero"`
	Far  Host `json:"far,omitzero"`
	// Neighbor is the congestion control of one more flow from near to far, as
	// fast as TCP takes it; empty for none.
	Neighbor string `json:"neighbor,omitempty"`
	// Series is how far apart the samples of the first stream are, in the
	// path's time; 0 asks for none.
	Series time.Duration `json:"series,omitempty"`
}

// Batch is what one lab machine runs between its boot and its end.
type Batch struct {
	Runs []Run
	// CPU is the one that the machine runs on; AnyCPU leaves the choice to it.
	CPU int
	Dir string // where the paths' relative file names begin; empty: the working directory

	Kernel       string        // a file, or a key of kernel.Find; empty: the default
	Memory       int           // MiB; 0: machine.DefaultMemory
	StallTimeout time.Duration // 0: machine.DefaultStallTimeout
}

// AnyCPU is a Batch.CPU that no other machine of this user has.
const AnyCPU = -1

// RunError is a run that could not be made.
type RunError struct {
	Run     int    // its index in the batch
	Message string // what failed on what
	Next    string // the next step; may be empty
}

func (e *RunError) Error() string { return fmt.Sprintf("run %d: %s", e.Run+1, e.Message) }

// Hint is the next step, or empty.
func (e *RunError) Hint() string { return e.Next }

// beatEvery is how often a machine says that virtual time goes on. A second of
// traffic takes well under one of the host's, up to some 10 Gbit/s.
const beatEvery = 5 * time.Second

// bootSeed is of every machine: what differs between runs comes from theirs.
const bootSeed = 1

// RunBatch makes the runs in one machine, one after the other, and calls each
// as they finish, in their order. It ends with the first run that fails, a
// *RunError, and with the first error of each. Runs that each has seen are
// whole whatever comes after. When RunBatch returns, nothing of the machine is
// left.
func RunBatch(ctx context.Context, b Batch, each func(i int, r Result, series []Sample) error) error {
	if len(b.Runs) == 0 {
		return nil
	}
	for i, r := range b.Runs {
		if err := r.check(); err != nil {
			return &RunError{Run: i, Message: err.Error()}
		}
	}
	spec, err := b.machine()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	results, out := io.Pipe()
	spec.Stdout = out
	var complaint bytes.Buffer
	spec.Stderr = &complaint
	done := make(chan error, 1)
	go func() {
		err := receive(results, b.Runs, each)
		if err != nil {
			cancel(err)
		}
		_, _ = io.Copy(io.Discard, results) // whatever the machine still says
		done <- err
	}()
	status, err := machine.Run(ctx, spec)
	out.Close()
	received := <-done
	switch {
	case errors.Is(received, io.ErrUnexpectedEOF) && err != nil:
		return err
	case errors.Is(received, io.ErrUnexpectedEOF):
		return fmt.Errorf("the lab machine's traffic ended early with status %d: %s", status, bytes.TrimSpace(complaint.Bytes()))
	case received != nil:
		return received
	}
	return err
}

// check finds what no machine is needed to find.
func (r Run) check() error {
	s := r.Spec
	switch {
	case s.Duration <= 0:
		return errors.New("traffic without a duration")
	case s.Omit < 0 || s.Omit >= s.Duration:
		return fmt.Errorf("a run of %v cannot omit %v", s.Duration, s.Omit)
	case r.Streams < 0 || r.Streams > maxStreams:
		return fmt.Errorf("%d streams; at most %d", r.Streams, maxStreams)
	case s.ReadEvery > 0 && s.Read <= 0:
		return fmt.Errorf("a read every %v has no size", s.ReadEvery)
	}
	switch s.Kind {
	case Paced:
		if s.Rate <= 0 || s.Write <= 0 {
			return fmt.Errorf("paced traffic needs a rate and a write size, not %v and %v", s.Rate, s.Write)
		}
	case Chunked:
		if s.Rate <= 0 || s.Chunk <= 0 {
			return fmt.Errorf("chunked traffic needs the media's rate and a chunk's playing time, not %v and %v", s.Rate, s.Chunk)
		}
	case Bulk:
	default:
		return fmt.Errorf("unknown kind of traffic %q: paced, bulk or chunked", s.Kind)
	}
	return nil
}

// maxStreams keeps every stream's start apart and its ports in their range.
const maxStreams = 1000

// machine is the machine that makes the runs: this program on near, in a mode
// that Main knows.
func (b Batch) machine() (machine.Spec, error) {
	k, err := kernel.Find(kernel.Places(), b.Kernel)
	if err != nil {
		return machine.Spec{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return machine.Spec{}, fmt.Errorf("find the program that makes the traffic: %w", err)
	}
	order, err := encodeOrder(b.Runs)
	if err != nil {
		return machine.Spec{}, err
	}
	work := b.Dir
	if work == "" {
		if work, err = os.Getwd(); err != nil {
			return machine.Spec{}, fmt.Errorf("find the working directory: %w", err)
		}
	}
	spec := machine.Spec{
		Kernel: k, Seed: bootSeed, Memory: b.Memory, StallTimeout: b.StallTimeout, Beat: beatEvery,
		Job: stage.Job{Near: []string{program}, Env: []string{orderVariable + "=" + order}, Dir: work},
	}
	if b.CPU >= 0 {
		spec.CPUs = []int{b.CPU}
	}
	return spec, nil
}

// orderVariable is the environment variable that makes a process of the
// machine the one that makes the traffic. Its value is the runs. Standard
// input would reach the machine at moments of the host's choosing, and so
// after who knows how much virtual time.
const orderVariable = "UNCHOKE_LAB_TRAFFIC"

// maxOrder is what Linux takes of one environment variable, MAX_ARG_STRLEN of
// linux/binfmts.h, with the name and its terminator.
const maxOrder = 128<<10 - len(orderVariable) - 2

func encodeOrder(runs []Run) (string, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(z).Encode(runs), z.Close()); err != nil {
		return "", fmt.Errorf("write the batch: %w", err)
	}
	order := base64.StdEncoding.EncodeToString(packed.Bytes())
	if len(order) > maxOrder {
		return "", fmt.Errorf("a batch of %d runs is too long by %d of %d bytes; make several", len(runs), len(order)-maxOrder, maxOrder)
	}
	return order, nil
}

func decodeOrder(order string) ([]Run, error) {
	packed, err := base64.StdEncoding.DecodeString(order)
	if err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	var runs []Run
	if err := json.NewDecoder(z).Decode(&runs); err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	return runs, nil
}

// report is what the machine says of one run.
type report struct {
	Run    int       `json:"run"`
	Result Result    `json:"result"`
	Series []Sample  `json:"series,omitempty"`
	Failed *RunError `json:"failed,omitempty"`
}

// receive takes a report a run. It returns io.ErrUnexpectedEOF where they end
// too early.
func receive(from io.Reader, runs []Run, each func(int, Result, []Sample) error) error {
	reports := json.NewDecoder(from)
	for i := range runs {
		var r report
		switch err := reports.Decode(&r); {
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return fmt.Errorf("read the lab machine's results: %w", err)
		case r.Failed != nil:
			return r.Failed
		case r.Run != i:
			return fmt.Errorf("the lab machine reports run %d, not %d", r.Run, i)
		}
		if err := each(i, r.Result, r.Series); err != nil {
			return err
		}
	}
	return nil
}
