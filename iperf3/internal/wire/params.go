package wire

import (
	"encoding/json"
	"errors"
)

// Version is what package iperf3 calls itself in the parameters. Servers only
// print it.
const Version = "3.12"

// Params is the JSON by which the client tells what to run. The order, names
// and types are those of send_parameters in src/iperf_api.c; since 3.18
// servers ignore a key whose type is not the expected one.
type Params struct {
	TCP             bool   `json:"tcp,omitempty"`
	UDP             bool   `json:"udp,omitempty"`
	Omit            Number `json:"omit"`
	Time            Number `json:"time"`
	Num             Number `json:"num"`
	BlockCount      Number `json:"blockcount"`
	MSS             Number `json:"MSS,omitempty"`
	NoDelay         bool   `json:"nodelay,omitempty"`
	Parallel        Number `json:"parallel"`
	Reverse         bool   `json:"reverse,omitempty"`
	Bidirectional   bool   `json:"bidirectional,omitempty"`
	Window          Number `json:"window,omitempty"`
	Length          Number `json:"len,omitempty"`
	Bandwidth       Number `json:"bandwidth,omitempty"`
	FQRate          Number `json:"fqrate"`       // always: 3.12 keeps it between tests
	PacingTimer     Number `json:"pacing_timer"` // µs; always, for the same reason
	TOS             Number `json:"TOS,omitempty"`
	FlowLabel       Number `json:"flowlabel"` // always, for the same reason
	Title           string `json:"title,omitempty"`
	Congestion      string `json:"congestion,omitempty"`
	GetServerOutput Number `json:"get_server_output,omitempty"` // any value means yes: absent means no
	Counters64      Number `json:"udp_counters_64bit,omitempty"`
	AuthToken       string `json:"authtoken,omitempty"`
	ClientVersion   string `json:"client_version"`
}

// UnmarshalJSON reads what any iperf3 client might send. As in iperf3, a flag
// is set by its presence, whatever its value (older clients sent numbers); a
// key of an unexpected type, or an unknown one, is ignored.
func (p *Params) UnmarshalJSON(doc []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(doc, &keys); err != nil {
		return err
	}
	*p = Params{Time: defaultTime}
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
	p.GetServerOutput = Flag(output)
	_, wide := keys["udp_counters_64bit"]
	p.Counters64 = Flag(wide)
	return nil
}

// defaultTime is what a stock server takes where nothing is said, in seconds.
const defaultTime = 10

var errSCTP = errors.New("SCTP is not supported")
