package far

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/finding"
	"unchoke/internal/fleet"
	"unchoke/internal/remote"
	"unchoke/internal/session"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Tuner is a host that is tuned over SSH: each method is a verb of unchoke
// tune there, with that host's own journal and timer. It logs in at the first
// one, and again after Renew, or where the connection was lost.
type Tuner struct {
	name    string
	target  remote.Target
	options TunerOptions
	// warned are what the far host warned of since Warnings was called.
	warned []string

	host   *remote.Host
	client *session.Client
}

// TunerOptions are those of a host that is tuned over SSH.
type TunerOptions struct {
	Remote remote.Options
	// State is the journal's directory there, and Timer the kind of the timer, as
	// the verbs take them; empty is the default there.
	State, Timer string
}

// NewTuner is the host that a target names. It connects nowhere yet.
func NewTuner(target string, o TunerOptions) (*Tuner, error) {
	t, err := remote.ParseTarget(target)
	if err != nil {
		return nil, &request.Error{Err: err, Next: "ssh://[user@]host[:port]; what else ssh needs goes into its configuration"}
	}
	o.Remote.Protocol, o.Remote.Needs = session.Schema, session.DoTune
	return &Tuner{name: t.String(), target: t, options: o}, nil
}

var _ fleet.Host = (*Tuner)(nil)

// Name is the target as records have it.
func (f *Tuner) Name() string { return f.name }

// Command is a verb of tune as it is run from here, on that host and its journal.
func (f *Tuner) Command(verb string) string {
	if verb == "plan" { // it has no journal
		return outcome.Command(f.reach(), verb)
	}
	return outcome.Command(f.flags(), verb)
}

// flags are those of a verb that acts on that host and its journal.
func (f *Tuner) flags() string {
	if f.options.State == "" {
		return f.reach()
	}
	return f.reach() + " --state " + finding.Quote(f.options.State)
}

// reach are the flags by which a verb gets to that host.
func (f *Tuner) reach() string {
	flags := "--on " + finding.Quote(f.name)
	if f.options.Remote.Become {
		flags += " --become"
	}
	if binary := f.options.Remote.FarBinary; binary != "" {
		flags += " --far-binary " + finding.Quote(binary)
	}
	return flags
}

// Warnings are what there was to warn of since the last call.
func (f *Tuner) Warnings() []string {
	out := f.warned
	f.warned = nil
	return out
}

// Look implements fleet.Host.
func (f *Tuner) Look(ctx context.Context) (fleet.Facts, error) {
	var status outcome.Status
	asked := time.Now()
	tuned, err := f.verb(ctx, nil, &status, "status")
	if err != nil {
		return fleet.Facts{}, err
	}
	answered := time.Now()
	status.Host = f.name
	h := f.client.Hello
	facts := fleet.Facts{
		System: h.OS, Machine: h.Arch, Kernel: h.Host.Kernel, Unchoke: h.Version,
		User: f.target.User, Root: h.Root, DiskFree: tuned.DiskFree, Status: status, Warnings: f.Warnings(),
	}
	if !tuned.Now.IsZero() {
		offset := tuned.Now.Sub(asked.Add(answered.Sub(asked) / 2)).Seconds()
		facts.ClockOffset = &offset
	}
	return facts, nil
}

// Plan implements fleet.Host.
func (f *Tuner) Plan(ctx context.Context, o fleet.Order) (tune.Plan, error) {
	var p tune.Plan
	_, err := f.verb(ctx, o.Measured, &p, append([]string{"plan", "--measured", "-"}, orderFlags(o)...)...)
	p.Host = f.name
	return p, err
}

func orderFlags(o fleet.Order) []string {
	args := []string{"--scope", o.Scope.String()}
	if o.Remedy != "" {
		args = append(args, "--remedy", string(o.Remedy))
	}
	if o.Resolve {
		args = append(args, "--resolve")
	}
	return args
}

// Try implements fleet.Host.
func (f *Tuner) Try(ctx context.Context, p tune.Plan, timeout time.Duration) (outcome.Outcome, error) {
	return f.try(ctx, p, timeout)
}

// TryAll is Try of a trial that Confirm makes permanent; despite conflicts where
// that is asked for.
func (f *Tuner) TryAll(ctx context.Context, p tune.Plan, timeout time.Duration, despite bool) (outcome.Outcome, error) {
	more := []string{"--persist"}
	if despite {
		more = append(more, "--despite-conflicts")
	}
	return f.try(ctx, p, timeout, more...)
}

func (f *Tuner) try(ctx context.Context, p tune.Plan, timeout time.Duration, more ...string) (outcome.Outcome, error) {
	args := append([]string{"try", "-", "--timeout", timeout.String()}, more...)
	if f.options.Timer != "" {
		args = append(args, "--timer", f.options.Timer)
	}
	p.Host = "" // there it is this host
	return f.outcome(ctx, p, args...)
}

// Verify implements fleet.Host.
func (f *Tuner) Verify(ctx context.Context) (outcome.Verification, error) {
	var v outcome.Verification
	_, err := f.verb(ctx, nil, &v, "verify")
	v.Host = f.name
	return v, err
}

// Confirm implements fleet.Host.
func (f *Tuner) Confirm(ctx context.Context, token string) error {
	_, err := f.ConfirmAll(ctx, token)
	return err
}

// ConfirmAll is Confirm, with what it did.
func (f *Tuner) ConfirmAll(ctx context.Context, token string) (outcome.Outcome, error) {
	return f.outcome(ctx, nil, "confirm", "--", token)
}

// Keep implements fleet.Host.
func (f *Tuner) Keep(ctx context.Context, o fleet.Order) (outcome.Outcome, error) {
	args := append([]string{"apply", "--yes", "--measured", "-"}, orderFlags(o)...)
	if o.Despite {
		args = append(args, "--despite-conflicts")
	}
	if f.options.Timer != "" {
		args = append(args, "--timer", f.options.Timer)
	}
	return f.outcome(ctx, o.Measured, args...)
}

// Revert implements fleet.Host.
func (f *Tuner) Revert(ctx context.Context) (outcome.Outcome, error) {
	return f.RevertBy(ctx, false, nil)
}

// RevertBy is Revert by force, or with keys that stay.
func (f *Tuner) RevertBy(ctx context.Context, force bool, except []string) (outcome.Outcome, error) {
	args := []string{"revert"}
	if force {
		args = append(args, "--force")
	}
	for _, key := range except {
		args = append(args, "--except="+key)
	}
	return f.outcome(ctx, nil, args...)
}

// Abandon takes a trial back that still waits, and nothing that was kept before.
func (f *Tuner) Abandon(ctx context.Context, round string) error {
	_, err := f.verb(ctx, nil, nil, "revert", "--expired="+round)
	return err
}

// Status implements fleet.Host.
func (f *Tuner) Status(ctx context.Context) (outcome.Status, error) {
	var s outcome.Status
	_, err := f.verb(ctx, nil, &s, "status")
	s.Host, s.Flags = f.name, f.flags()
	return s, err
}

func (f *Tuner) outcome(ctx context.Context, input any, args ...string) (outcome.Outcome, error) {
	var o outcome.Outcome
	_, err := f.verb(ctx, input, &o, args...)
	o.Host, o.Flags = f.name, f.flags()
	return o, err
}

// verb has the far host run a verb of tune with an input, and reads its document.
func (f *Tuner) verb(ctx context.Context, input, document any, args ...string) (session.Tuned, error) {
	if err := f.connect(ctx); err != nil {
		return session.Tuned{}, err
	}
	text, err := json.Marshal(input)
	if err != nil {
		return session.Tuned{}, err
	}
	verb := []string{args[0], "--json"}
	if f.options.State != "" {
		verb = append(verb, "--state="+f.options.State)
	}
	if args[0] == "plan" {
		verb = []string{"plan", "--json"} // it has no journal
	}
	tuned, err := f.client.Tune(ctx, session.Tune{Args: append(verb, args[1:]...), Input: string(text)})
	if err != nil {
		return tuned, f.lost(ctx, err)
	}
	f.warned = append(f.warned, warningsIn(tuned.Errors)...)
	if err := f.failed(args[0], tuned); err != nil {
		return tuned, err
	}
	if document == nil {
		return tuned, nil
	}
	if err := ReadTuned([]byte(tuned.Output), document); err != nil {
		return tuned, fmt.Errorf("%s: %w", f.name, err)
	}
	return tuned, nil
}

// connect begins a session, where there is none.
func (f *Tuner) connect(ctx context.Context) error {
	if f.client != nil {
		select {
		case <-f.client.Gone():
			f.Close()
		default:
			return nil
		}
	}
	host, err := remote.Dial(ctx, f.target, f.options.Remote)
	if err != nil {
		return f.unreached(ctx, err)
	}
	lines, err := host.Session(ctx)
	if err == nil {
		f.client, err = session.Open(ctx, lines)
	}
	if err != nil {
		f.client = nil
		err = f.unreached(ctx, err)
		host.Close()
		return err
	}
	f.host = host
	f.warned = append(f.warned, host.Warnings...)
	return nil
}

// Renew implements fleet.Host.
func (f *Tuner) Renew() { f.Close() }

// Close implements fleet.Host.
func (f *Tuner) Close() {
	if f.client != nil {
		f.client.End()
		f.host.Close()
		f.client, f.host = nil, nil
	}
}
