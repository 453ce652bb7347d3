package iperf3

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// version is what this package calls itself in the parameters. Servers only
// print it.
const version = "3.12"

// defaultCongestion is sent where a test leaves each host its default.
//
// Servers before 3.19 keep an algorithm once asked for, for every later test
// that names none; if the kernel refuses it, all of those fail. An empty name
// makes setsockopt fail with EINVAL, which ends the test. A name that no kernel
// has gives ENOENT, at which every version goes on with the system's default.
const defaultCongestion = "default"

// remoteCongestion is what the server is asked for: an algorithm only where it
// sends, since one that it is not allowed ends the test whoever sends.
func (t *Test) remoteCongestion() string {
	switch {
	case t.Protocol == UDP:
		return ""
	case t.Congestion == "", !t.Reverse && !t.Bidirectional:
		return defaultCongestion
	}
	return t.Congestion
}

// params is the JSON by which the client tells what to run. The order, names
// and types are those of send_parameters in src/iperf_api.c; since 3.18
// servers ignore a key whose type is not the expected one.
type params struct {
	TCP             bool   `json:"tcp,omitempty"`
	UDP             bool   `json:"udp,omitempty"`
	Omit            number `json:"omit"`
	Time            number `json:"time"`
	Num             number `json:"num"`
	BlockCount      number `json:"blockcount"`
	MSS             number `json:"MSS,omitempty"`
	NoDelay         bool   `json:"nodelay,omitempty"`
	Parallel        number `json:"parallel"`
	Reverse         bool   `json:"reverse,omitempty"`
	Bidirectional   bool   `json:"bidirectional,omitempty"`
	Window          number `json:"window,omitempty"`
	Length          number `json:"len,omitempty"`
	Bandwidth       number `json:"bandwidth,omitempty"`
	FQRate          number `json:"fqrate"`       // always: 3.12 keeps it between tests
	PacingTimer     number `json:"pacing_timer"` // µs; always, for the same reason
	TOS             number `json:"TOS,omitempty"`
	FlowLabel       number `json:"flowlabel"` // always, for the same reason
	Title           string `json:"title,omitempty"`
	Congestion      string `json:"congestion,omitempty"`
	GetServerOutput number `json:"get_server_output,omitempty"` // any value means yes: absent means no
	Counters64      number `json:"udp_counters_64bit,omitempty"`
	AuthToken       string `json:"authtoken,omitempty"`
	ClientVersion   string `json:"client_version"`
}

// params encodes a test that withDefaults has completed.
func (t *Test) params(congestion, token string) params {
	p := params{
		TCP: t.Protocol == TCP, UDP: t.Protocol == UDP,
		Omit:       seconds(t.Omit),
		Time:       seconds(t.Duration),
		Num:        number(t.Bytes),
		BlockCount: number(t.Blocks),
		MSS:        number(t.MSS), NoDelay: t.NoDelay,
		Parallel: number(t.Streams),
		Reverse:  t.Reverse, Bidirectional: t.Bidirectional,
		Window: number(t.Window), Length: number(t.Length),
		Bandwidth:   number(t.Rate),
		PacingTimer: number(t.PacingTimer / time.Microsecond),
		TOS:         number(t.TOS),
		Title:       t.Title, Congestion: congestion, AuthToken: token,
		ClientVersion: version,
	}
	if t.GetServerOutput {
		p.GetServerOutput = 1
	}
	if t.Counters64 {
		p.Counters64 = 1
	}
	return p
}

// seconds rounds up to what the wire carries. A server does not end a test on
// time but well after it, so rounding costs nothing.
func seconds(d time.Duration) number {
	return number((d + time.Second - 1) / time.Second)
}

// UnmarshalJSON reads what any iperf3 client might send. As in iperf3, a flag
// is set by its presence, whatever its value (older clients sent numbers); a
// key of an unexpected type, or an unknown one, is ignored.
func (p *params) UnmarshalJSON(doc []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(doc, &keys); err != nil {
		return err
	}
	*p = params{Time: seconds(defaultDuration)} // what a stock server takes where nothing is said
	for key, to := range map[string]any{
		"tcp": &p.TCP, "udp": &p.UDP, "omit": &p.Omit, "time": &p.Time, "num": &p.Num,
		"blockcount": &p.BlockCount, "MSS": &p.MSS, "nodelay": &p.NoDelay, "parallel": &p.Parallel,
		"reverse": &p.Reverse, "bidirectional": &p.Bidirectional, "window": &p.Window, "len": &p.Length,
		"bandwidth": &p.Bandwidth, "fqrate": &p.FQRate, "pacing_timer": &p.PacingTimer, "TOS": &p.TOS,
		"flowlabel": &p.FlowLabel, "title": &p.Title, "congestion": &p.Congestion,
		"get_server_output": &p.GetServerOutput, "udp_counters_64bit": &p.Counters64,
		"authtoken": &p.AuthToken, "client_version": &p.ClientVersion,
	} {
		raw, present := keys[key]
		if !present {
			continue
		}
		switch to := to.(type) {
		case *bool:
			*to = string(raw) != "false" && string(raw) != "null"
		default:
			_ = json.Unmarshal(raw, to) // of another type, it is as if it were absent
		}
	}
	if _, sctp := keys["sctp"]; sctp {
		return errSCTP
	}
	// Present is what counts: "get_server_output": 0 asks for it, too.
	_, output := keys["get_server_output"]
	p.GetServerOutput = number(boolInt(output))
	_, wide := keys["udp_counters_64bit"]
	p.Counters64 = number(boolInt(wide))
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

var errSCTP = errors.New("SCTP is not supported")

// test decodes what a client asked for and checks it.
func (p *params) test() (Test, error) {
	t := Test{
		Protocol: TCP,
		Reverse:  p.Reverse, Bidirectional: p.Bidirectional,
		Duration: p.Time.duration(time.Second), Omit: p.Omit.duration(time.Second),
		Bytes: int64(p.Num), Blocks: int64(p.BlockCount),
		Streams: p.Parallel.int(), Rate: int64(p.Bandwidth),
		Length: p.Length.int(), Window: p.Window.int(), MSS: p.MSS.int(),
		NoDelay: p.NoDelay, Congestion: p.Congestion, TOS: p.TOS.int(),
		PacingTimer:     p.PacingTimer.duration(time.Microsecond),
		Counters64:      p.Counters64 != 0,
		GetServerOutput: p.GetServerOutput != 0,
		Title:           p.Title,
	}
	if p.UDP {
		t.Protocol = UDP
		if t.Length == 0 {
			t.Length = defaultUDPLength
		}
	}
	if t.Bytes != 0 || t.Blocks != 0 {
		t.Duration = 0 // some clients send iperf3's default beside a limit
	}
	if t.PacingTimer <= 0 {
		t.PacingTimer = DefaultPacingTimer
	}
	if t.Streams < 0 || t.Duration < 0 {
		return t, fmt.Errorf("negative parameter")
	}
	return t.complete()
}

// A number is an integer of JSON, however the peer wrote it: 1, 1.0 or 1e9.
// iperf3 keeps numbers as doubles and prints some −1 as 18446744073709551615;
// such a one is −1 again here. What does not fit is clamped.
type number int64

// UnmarshalJSON takes any JSON number.
func (n *number) UnmarshalJSON(text []byte) error {
	if v, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*n = number(v)
		return nil
	}
	if v, err := strconv.ParseUint(string(text), 10, 64); err == nil {
		*n = number(v) // wraps: 2^64 − 1 is −1
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is not a number", text)
	}
	switch {
	case v == math.MaxUint64: // 2^64 − 1, rounded to a double: 1.8446744073709552e+19
		*n = -1
	case v >= math.MaxInt64:
		*n = math.MaxInt64
	case v <= math.MinInt64:
		*n = math.MinInt64
	default:
		*n = number(v)
	}
	return nil
}

// int clamps to the int of 32-bit systems, too.
func (n number) int() int { return int(max(math.MinInt32, min(math.MaxInt32, n))) }

func (n number) duration(unit time.Duration) time.Duration {
	most := number(math.MaxInt64 / unit)
	return time.Duration(max(-most, min(most, n))) * unit
}
