// Package inventory reads which hosts a fleet has: names on a command line,
// files of names, and Ansible's inventories as INI and YAML, with the variables
// that say how SSH reaches a host. It opens nothing: it is given the bytes.
package inventory

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Bounds of what is read.
const (
	MaxFile  = 4 << 20 // bytes
	MaxHosts = 10_000
	maxDepth = 40 // of YAML's nesting, and of groups in groups
	maxNodes = 500_000
	maxName  = 255 // of a host: DNS's own bound, RFC 1035 §2.3.4
)

// Host is one host, and how SSH reaches it.
type Host struct {
	Name    string   `json:"name"`
	Address string   `json:"address"` // a name, an alias of ssh's configuration, or an address
	User    string   `json:"user,omitempty"`
	Port    uint16   `json:"port,omitempty"` // 0 leaves it to ssh's configuration
	Groups  []string `json:"groups,omitempty"`
	// SSH are further options of ssh: a key's file, a jump host.
	SSH []string `json:"ssh_options,omitempty"`
	// Become says that changes there are made through sudo.
	Become bool `json:"become,omitempty"`
	// Link names the line that this host shares with others of that word: their
	// measurements do not run side by side. Empty where it is not known.
	Link string `json:"link,omitempty"`
}

// Target is the host as ssh:// names it. A URL has the % before the zone of an IPv6
// address as %25 (RFC 6874 §2).
func (h Host) Target() string {
	name := strings.Replace(h.Address, "%", "%25", 1)
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if h.User != "" {
		name = h.User + "@" + name
	}
	if h.Port != 0 {
		name += ":" + strconv.Itoa(int(h.Port))
	}
	return "ssh://" + name
}

// Check returns nil for a host that this package can have read.
func (h Host) Check() error {
	again, err := Named(h.Target())
	if err != nil || again.Address != h.Address || again.User != h.User || again.Port != h.Port {
		return fmt.Errorf("host %q: %q is %w", h.Name, h.Target(), ErrName)
	}
	options, err := sshWords(h.SSH)
	if err == nil && !slices.Equal(options, h.SSH) {
		err = errors.New("ssh's options are none of an inventory")
	}
	if err != nil {
		return fmt.Errorf("host %q: %w", h.Name, err)
	}
	return nil
}

// Lines are what the host's measurements occupy beside itself, by name: the line
// that it shares, and the hosts by which ssh reaches it.
func (h Host) Lines() []string {
	var out []string
	if h.Link != "" {
		out = append(out, "link "+h.Link)
	}
	for i := 1; i < len(h.SSH); i++ {
		jumps := ""
		switch key, value := keyword(h.SSH[i]); {
		case h.SSH[i-1] == "-J":
			jumps = h.SSH[i]
		case h.SSH[i-1] == "-o" && key == "proxyjump":
			jumps = value
		}
		for jump := range strings.SplitSeq(jumps, ",") {
			if name := hop(jump); name != "" && name != "none" {
				out = append(out, "jump "+name)
			}
		}
	}
	return out
}

// hop is the name of a jump host: [user@]host[:port], or that behind ssh://.
func hop(jump string) string {
	name := strings.TrimPrefix(strings.TrimSpace(jump), "ssh://")
	name = name[strings.LastIndexByte(name, '@')+1:]
	if alone, _, err := splitPort(name); err == nil {
		name = alone
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
}

// Error is what is wrong in a file, and where.
type Error struct {
	File string
	Line int // from 1; 0 where it is none in particular
	What string
	hint string
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
	}
	return e.File + ": " + e.What
}

// Hint is the next step; empty where there is none.
func (e *Error) Hint() string { return e.hint }

// ErrName is a text that names no host.
var ErrName = errors.New("not a host: want an alias of ssh's, [user@]host or ssh://[user@]host[:port]")

// Named is the host of a name as on a command line.
func Named(text string) (Host, error) {
	rest, scheme := strings.CutPrefix(text, "ssh://")
	user, name, hasUser := strings.Cut(rest, "@")
	if !hasUser {
		user, name = "", rest
	}
	h := Host{User: user}
	if scheme {
		var err error
		if name, h.Port, err = splitPort(name); err != nil {
			return Host{}, fmt.Errorf("%q: %w", text, err)
		}
	}
	h.Address = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if ip, zone, escaped := strings.Cut(h.Address, "%25"); scheme && escaped {
		h.Address = ip + "%" + zone
	}
	h.Name = rest
	if hasUser && user == "" || !validName(h.Address) || !validUser(user) {
		return Host{}, fmt.Errorf("%q is %w", text, ErrName)
	}
	return h, nil
}

// splitPort cuts a port off: host:22, [2001:db8::1]:22.
func splitPort(text string) (name string, port uint16, err error) {
	if _, err := netip.ParseAddr(text); err == nil {
		return text, 0, nil
	}
	at := strings.LastIndexByte(text, ':')
	if at < 0 || strings.HasSuffix(text, "]") {
		return text, 0, nil
	}
	port, err = parsePort(text[at+1:])
	return text[:at], port, err
}

func parsePort(text string) (uint16, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%.20q is not a port", text)
	}
	return uint16(n), nil
}

// validName says that a name may stand on ssh's command line: it is no option,
// and nothing in it means something to a shell that ssh's configuration starts.
func validName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '-' {
		return false
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return only(a.Zone(), "._-") // which may be any text
	}
	return only(name, "._-")
}

func validUser(name string) bool {
	return len(name) <= maxName && !strings.HasPrefix(name, "-") && only(name, "._-+~=,")
}

func only(name, others string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(others, r)
	})
}
