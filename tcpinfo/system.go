package tcpinfo

import "fmt"

// System is whose structure an Info was read from. Every system has its own; the
// fields of Info are Linux's, and those that another one does not tell are
// absent.
type System uint8

// The systems.
const (
	Linux   System = iota // struct tcp_info
	Darwin                // struct tcp_connection_info
	Windows               // TCP_INFO_v0 and TCP_INFO_v1
)

var systemNames = []string{"linux", "darwin", "windows"}

func (s System) String() string { return name(systemNames, uint8(s)) }

// MarshalText writes the name.
func (s System) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name.
func (s *System) UnmarshalText(text []byte) error {
	v, err := value(systemNames, string(text))
	*s = System(v)
	return err
}

// A source is how many bytes of another system's structure it takes to have a
// field of Linux's.
type source map[Field]int

// given has it for each system but Linux, where a Field is that number itself.
var given = [...]source{Darwin: darwinFields, Windows: windowsFields}

// Has tells whether the system gave the field.
func (i *Info) Has(f Field) bool {
	if i.System == Linux {
		return i.Length >= int(f)
	}
	if int(i.System) >= len(given) {
		return false
	}
	need, known := given[i.System][f]
	return known && i.Length >= need
}

// segments are bytes in whole segments, one that is begun among them.
func segments(bytes, mss uint32) uint32 {
	return uint32((uint64(bytes) + uint64(mss) - 1) / uint64(mss))
}

// foreign reads a structure of another system, whose numbers are in this
// machine's byte order. Offsets are within the length that was checked.
type foreign []byte

func (b foreign) u8(at int) uint8   { return b[at] }
func (b foreign) u32(at int) uint32 { return order.Uint32(b[at:]) }
func (b foreign) u64(at int) uint64 { return order.Uint64(b[at:]) }

// errNoSegment is of a socket that is not connected yet: windows in bytes have
// no size in segments there.
func errNoSegment(what string) error {
	return fmt.Errorf("parse %s: the connection has no segment size yet", what)
}
