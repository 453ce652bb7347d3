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

// Columns are all, in the order in which a wide table shows them.
var Columns = []Column{
	{Key: "verdict", Head: "verdict", Help: "the cause that holds the flow back", Name: true, Text: func(f *live.Flow) string { return string(f.Verdict) }},
	{Key: "process", Head: "process", Help: "the program that has the socket", Name: true, Text: func(f *live.Flow) string { return f.Process }},
	{Key: "remote", Head: "remote", Help: "the peer's address and port", Name: true, Text: func(f *live.Flow) string { return f.Remote.String() }},
	{Key: "cc", Head: "cc", Help: "the congestion control", Name: true, Text: func(f *live.Flow) string { return f.CC }},
	{Key: "rate", Head: "rate", Help: "the rate of the busier direction", Kind: Rate, Value: func(f *live.Flow) float64 { r, _ := f.Busier(); return r }},
	{Key: "sent", Head: "out", Help: "what the peer acknowledged", Kind: Rate, Value: func(f *live.Flow) float64 { return f.SentRate }},
	{Key: "received", Head: "in", Help: "what arrived", Kind: Rate, Value: func(f *live.Flow) float64 { return f.ReceivedRate }},
	{Key: "rtt", Head: "RTT", Help: "the smoothed round-trip time", Kind: Seconds, Value: func(f *live.Flow) float64 { return f.RTT }},
	{Key: "minrtt", Head: "least", Help: "the least round-trip time", Kind: Seconds, Value: func(f *live.Flow) float64 { return f.MinRTT }},
	{Key: "jitter", Head: "jitter", Help: "the delay's standard deviation, as estimated", Kind: Seconds, Value: func(f *live.Flow) float64 { return f.Jitter }},
	{Key: "jitter-ratio", Head: "jit", Help: "jitter over RTT", Kind: Share, Value: func(f *live.Flow) float64 { return f.JitterRatio }},
	{Key: "retrans", Head: "resent", Help: "retransmits among the segments sent, lately", Kind: Share, Value: func(f *live.Flow) float64 { return f.RetransmitRatio }},
	{Key: "spurious", Head: "spur.", Help: "needless retransmits among the segments sent, lately", Kind: Share, Value: func(f *live.Flow) float64 { return f.SpuriousRatio }},
	{Key: "timeouts", Head: "RTOs", Help: "retransmission timeouts since it began", Value: func(f *live.Flow) float64 { return float64(f.Timeouts) }},
	{Key: "reordered", Head: "reord", Help: "reordering events since it began", Value: func(f *live.Flow) float64 { return float64(f.Reordered) }},
	{Key: "cwnd", Head: "cwnd", Help: "the congestion window in segments", Value: func(f *live.Flow) float64 { return float64(f.Cwnd) }},
	{Key: "cv", Head: "CV", Help: "the rate's coefficient of variation, lately", Kind: Share, Value: func(f *live.Flow) float64 { return f.RateCV }},
	{Key: "limit", Head: "limit", Help: "what limited the sender most, lately", Name: true, Text: func(f *live.Flow) string { return string(f.Limits.Most()) }},
	{Key: "confidence", Head: "sure", Help: "how sure the verdict is", Kind: Share, Value: func(f *live.Flow) float64 { return f.Confidence }},
	{Key: "state", Head: "state", Help: "the socket's state", Name: true, Text: func(f *live.Flow) string { return f.State }},
	{Key: "local", Head: "local", Help: "this end's address and port", Name: true, Text: func(f *live.Flow) string { return f.Local.String() }},
	{Key: "unit", Head: "unit", Help: "systemd's unit, or the container", Name: true, Text: func(f *live.Flow) string { return cmp.Or(f.Unit, f.Container) }},
	{Key: "pid", Head: "PID", Help: "the process", Value: func(f *live.Flow) float64 { return float64(f.PID) }},
	{Key: "age", Head: "age", Help: "since it was seen first", Kind: Seconds, Value: func(f *live.Flow) float64 { return f.Age }},
	{Key: "idle", Head: "idle", Help: "since data last went", Kind: Seconds, Value: func(f *live.Flow) float64 { return f.Idle }},
	{Key: "bytes-sent", Head: "sent", Help: "bytes acknowledged since it began", Kind: Bytes, Value: func(f *live.Flow) float64 { return float64(f.Sent) }},
	{Key: "bytes-received", Head: "received", Help: "bytes received since it began", Kind: Bytes, Value: func(f *live.Flow) float64 { return float64(f.Received) }},
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
