package tcpinfo

import (
	"fmt"
	"strconv"
	"strings"
)

// State is a state of the TCP connection (include/net/tcp_states.h).
type State uint8

// The states of a TCP connection.
const (
	Established State = iota + 1
	SynSent
	SynRecv
	FinWait1
	FinWait2
	TimeWait
	Close
	CloseWait
	LastAck
	Listen
	Closing
	NewSynRecv
)

var stateNames = []string{
	"", "established", "syn-sent", "syn-recv", "fin-wait-1", "fin-wait-2", "time-wait",
	"close", "close-wait", "last-ack", "listen", "closing", "new-syn-recv",
}

// CAState is a state of loss recovery (enum tcp_ca_state).
type CAState uint8

// The states of loss recovery.
const (
	CAOpen CAState = iota
	CADisorder
	CACWR
	CARecovery
	CALoss
)

var caStateNames = []string{"open", "disorder", "cwr", "recovery", "loss"}

// Options are the options in use on a connection (TCPI_OPT_*).
type Options uint8

// The bits of Options.
const (
	OptTimestamps Options = 1 << iota
	OptSACK
	OptWscale
	OptECN     // negotiated
	OptECNSeen // a packet with ECT has arrived
	OptSynData // the SYN's data was acknowledged: TCP Fast Open
	OptUsecTS  // timestamps count microseconds
	OptTFOChild
)

var optionNames = []string{"timestamps", "sack", "wscale", "ecn", "ecn-seen", "syn-data", "usec-ts", "tfo-child"}

func (s State) String() string   { return name(stateNames, uint8(s)) }
func (s CAState) String() string { return name(caStateNames, uint8(s)) }

// String lists the options: "timestamps,sack,wscale".
func (o Options) String() string {
	var set []string
	for bit, n := range optionNames {
		if o&(1<<bit) != 0 {
			set = append(set, n)
		}
	}
	return strings.Join(set, ",")
}

// MarshalText gives the state's name, or its number where it has none.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText gives the state's name, or its number where it has none.
func (s CAState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText lists the options, separated by commas.
func (o Options) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (s *State) UnmarshalText(text []byte) error {
	v, err := value(stateNames, string(text))
	*s = State(v)
	return err
}

// UnmarshalText is the inverse of MarshalText.
func (s *CAState) UnmarshalText(text []byte) error {
	v, err := value(caStateNames, string(text))
	*s = CAState(v)
	return err
}

// UnmarshalText is the inverse of MarshalText.
func (o *Options) UnmarshalText(text []byte) error {
	*o = 0
	if len(text) == 0 {
		return nil
	}
	for n := range strings.SplitSeq(string(text), ",") {
		bit, err := value(optionNames, n)
		if err != nil || bit > 7 {
			return fmt.Errorf("unknown TCP option %q", n)
		}
		*o |= 1 << bit
	}
	return nil
}

func name(names []string, v uint8) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return strconv.Itoa(int(v))
}

func value(names []string, text string) (uint8, error) {
	for v, n := range names {
		if n == text && n != "" {
			return uint8(v), nil
		}
	}
	v, err := strconv.ParseUint(text, 10, 8)
	if err != nil {
		return 0, fmt.Errorf("unknown TCP state %q", text)
	}
	return uint8(v), nil
}
