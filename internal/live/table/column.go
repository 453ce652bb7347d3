package table

import (
	"cmp"

	"unchoke/internal/live"
)

// Column is one figure or name of a flow.
type Column struct {
	Key  string // as --sort takes it
	Head string // what a table shows above it, short
	// Help says what it is, in a sentence without a full stop.
	Help string
	// Names stand left and are sorted from A on, figures right and from the
	// largest on.
	Name bool
	// Text and Value are the flow's: Text of a name, Value of a figure.
	Text  func(*live.Flow) string
	Value func(*live.Flow) float64
	Kind  Kind // of the figure: how it is printed
}

// Kind is what a figure is.
type Kind int

// The kinds.
const (
	Number  Kind = iota
	Rate         // bit/s
	Seconds      // s
	Share        // 1 is the whole
	Bytes
)

func figure(key, head, help string, kind Kind, value func(*live.Flow) float64) Column {
	return Column{Key: key, Head: head, Help: help, Kind: kind, Value: value}
}

func name(key, head, help string, text func(*live.Flow) string) Column {
	return Column{Key: key, Head: head, Help: help, Name: true, Text: text}
}

// Columns are all, in the order in which a wide table shows them.
var Columns = []Column{
	name("verdict", "verdict", "the cause that holds the flow back", func(f *live.Flow) string { return string(f.Verdict) }),
	name("process", "process", "the program that has the socket", func(f *live.Flow) string { return f.Process }),
	name("remote", "remote", "the peer's address and port", func(f *live.Flow) string { return f.Remote.String() }),
	name("cc", "cc", "the congestion control", func(f *live.Flow) string { return f.CC }),
	figure("rate", "rate", "the rate of the busier direction", Rate, func(f *live.Flow) float64 { r, _ := f.Busier(); return r }),
	figure("sent", "out", "what the peer acknowledged", Rate, func(f *live.Flow) float64 { return f.SentRate }),
	figure("received", "in", "what arrived", Rate, func(f *live.Flow) float64 { return f.ReceivedRate }),
	figure("rtt", "RTT", "the smoothed round-trip time", Seconds, func(f *live.Flow) float64 { return f.RTT }),
	figure("minrtt", "least", "the least round-trip time", Seconds, func(f *live.Flow) float64 { return f.MinRTT }),
	figure("jitter", "jitter", "the delay's standard deviation, as estimated", Seconds, func(f *live.Flow) float64 { return f.Jitter }),
	figure("jitter-ratio", "jit", "jitter over RTT", Share, func(f *live.Flow) float64 { return f.JitterRatio }),
	figure("retrans", "resent", "retransmits among the segments sent, lately", Share, func(f *live.Flow) float64 { return f.RetransmitRatio }),
	figure("spurious", "spur.", "needless retransmits among the segments sent, lately", Share, func(f *live.Flow) float64 { return f.SpuriousRatio }),
	figure("timeouts", "RTOs", "retransmission timeouts since it began", Number, func(f *live.Flow) float64 { return float64(f.Timeouts) }),
	figure("reordered", "reord", "reordering events since it began", Number, func(f *live.Flow) float64 { return float64(f.Reordered) }),
	figure("cwnd", "cwnd", "the congestion window in segments", Number, func(f *live.Flow) float64 { return float64(f.Cwnd) }),
	figure("cv", "CV", "the rate's coefficient of variation, lately", Share, func(f *live.Flow) float64 { return f.RateCV }),
	name("limit", "limit", "what limited the sender most, lately", func(f *live.Flow) string { return string(f.Limits.Most()) }),
	figure("confidence", "sure", "how sure the verdict is", Share, func(f *live.Flow) float64 { return f.Confidence }),
	name("state", "state", "the socket's state", func(f *live.Flow) string { return f.State }),
	name("local", "local", "this end's address and port", func(f *live.Flow) string { return f.Local.String() }),
	name("unit", "unit", "systemd's unit, or the container", func(f *live.Flow) string { return cmp.Or(f.Unit, f.Container) }),
	figure("pid", "PID", "the process", Number, func(f *live.Flow) float64 { return float64(f.PID) }),
	figure("age", "age", "since it was seen first", Seconds, func(f *live.Flow) float64 { return f.Age }),
	figure("idle", "idle", "since data last went", Seconds, func(f *live.Flow) float64 { return f.Idle }),
	figure("bytes-sent", "sent", "bytes acknowledged since it began", Bytes, func(f *live.Flow) float64 { return float64(f.Sent) }),
	figure("bytes-received", "received", "bytes received since it began", Bytes, func(f *live.Flow) float64 { return float64(f.Received) }),
}

// Find is the column of a key.
func Find(key string) (Column, bool) {
	for _, c := range Columns {
		if c.Key == key {
			return c, true
		}
	}
	return Column{}, false
}

// Keys are those of all columns.
func Keys() []string {
	var out []string
	for _, c := range Columns {
		out = append(out, c.Key)
	}
	return out
}
