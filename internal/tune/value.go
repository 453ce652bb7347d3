package tune

import (
	"encoding/json"
	"fmt"
	"io/fs"
)

// FileValue is the value of a File change: a regular file, a symbolic link or
// a directory, whatever may be in that.
type FileValue struct {
	Content []byte      `json:"content,omitempty"` // of a regular file
	Mode    fs.FileMode `json:"mode,omitempty"`    // its permissions
	UID     int         `json:"uid,omitempty"`
	GID     int         `json:"gid,omitempty"`
	Link    string      `json:"link,omitempty"` // target of a symbolic link, which has no content and no mode
	Dir     bool        `json:"dir,omitempty"`  // a directory, which has no content
}

// QdiscValue is the value of a Qdisc change: a device's root qdisc and what is
// beneath it.
type QdiscValue struct {
	Kind string `json:"kind"`
	// Handle is as tc(8) writes it: "8001:". A qdisc that the kernel attached
	// by itself has "0:". Empty in a planned value, where the kernel chooses.
	Handle string `json:"handle,omitempty"`
	// Parent is the class that a leaf hangs on, ":1"; empty at the root.
	Parent string `json:"parent,omitempty"`
	// Options are the TCA_OPTIONS that the kernel reported; nil in a planned
	// value, where they are the kernel's own defaults, MaxRate aside.
	Options []byte `json:"options,omitempty"`
	// MaxRate is fq's ceiling of one flow's rate, in bit/s; 0 is none.
	MaxRate int64        `json:"max_rate_bps,omitempty"`
	Leaves  []QdiscValue `json:"leaves,omitempty"`
}

// RouteKey names a route as the key of a Route change does.
type RouteKey struct {
	Prefix string // of the destination: 100.64.0.0/10, default is 0.0.0.0/0 or ::/0
	Device string
	Table  uint32
	Metric uint32
	TOS    uint8 // of the packets that it is for
}

// RouteValue is the value of a Route change.
type RouteValue struct {
	// CC is the congestion control of the route's sockets (RTAX_CC_ALGO); empty
	// where the host's default applies.
	CC string `json:"congctl,omitempty"`
	// Message is the route as the kernel gave it, a struct rtmsg and its
	// attributes; nil in a planned value, where all but CC stays as it is.
	Message []byte `json:"message,omitempty"`
}

// loaded is the value of a Module change where the module is there.
const loaded = "loaded"

func (k RouteKey) String() string {
	s := fmt.Sprintf("%s dev %s table %d metric %d", k.Prefix, k.Device, k.Table, k.Metric)
	if k.TOS != 0 {
		s += fmt.Sprintf(" tos %d", k.TOS)
	}
	return s
}

// ParseRouteKey reads what String writes.
func ParseRouteKey(s string) (RouteKey, error) {
	var k RouteKey
	// Without a TOS it reads the first four.
	_, _ = fmt.Sscanf(s, "%s dev %s table %d metric %d tos %d", &k.Prefix, &k.Device, &k.Table, &k.Metric, &k.TOS)
	if k.String() != s {
		return RouteKey{}, fmt.Errorf("%q names no route", s)
	}
	return k, nil
}

// Named is a change with the whole name of what it is about. Earlier versions left
// a route's TOS out of its key; the old value tells it.
func (c Change) Named() Change {
	if c.Kind != Route {
		return c
	}
	key, err1 := ParseRouteKey(c.Key)
	was, err2 := Decode[RouteValue](c.Old)
	const at = 3 // rtm_tos of struct rtmsg
	if err1 == nil && err2 == nil && was != nil && len(was.Message) > at {
		key.TOS = was.Message[at]
		c.Key = key.String()
	}
	return c
}

// Encode is a value as a Change holds it. Equal values have equal encodings.
func Encode[V FileValue | QdiscValue | RouteValue](v V) *string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // none of their fields can fail
	}
	s := string(b)
	return &s
}

// Decode reads what Encode wrote; nil gives nil.
func Decode[V FileValue | QdiscValue | RouteValue](s *string) (*V, error) {
	if s == nil {
		return nil, nil
	}
	v := new(V)
	if err := json.Unmarshal([]byte(*s), v); err != nil {
		return nil, fmt.Errorf("read the value of a change: %w", err)
	}
	return v, nil
}

// Matches says whether have is what want asks for: want may leave open what
// the kernel chooses. The parameters of what it attached by itself are its own
// choice, by the device's MTU for one.
func (want QdiscValue) Matches(have QdiscValue) bool {
	if want.Kind != have.Kind ||
		want.Handle != "" && want.Handle != have.Handle ||
		want.Options != nil && want.Handle != ByItself && string(want.Options) != string(have.Options) ||
		want.MaxRate != have.MaxRate ||
		len(want.Leaves) != len(have.Leaves) {
		return false
	}
	for i, leaf := range want.Leaves {
		if !leaf.Matches(have.Leaves[i]) {
			return false
		}
	}
	return true
}
