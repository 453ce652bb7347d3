//go:build !slim

package remote

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// Target is a host that the user's ssh reaches: ssh://[user@]host[:port].
type Target struct {
	User string // empty leaves it to ssh's configuration
	Host string // a name, an alias of ssh's configuration, or an address without brackets
	Port uint16 // 0 leaves it to ssh's configuration
}

// ErrTarget is a text that names no host for ssh.
var ErrTarget = errors.New("not ssh://[user@]host[:port]")

// ParseTarget reads ssh://[user@]host[:port]. The zone of an IPv6 address may stand
// there as in a URL or as everywhere else: [fe80::1%25eth0], [fe80::1%eth0].
func ParseTarget(text string) (Target, error) {
	var t Target
	if !strings.HasPrefix(text, Scheme) {
		return t, fmt.Errorf("target %q is %w", text, ErrTarget)
	}
	u, err := url.Parse(escapeZone(text))
	if err != nil {
		return t, fmt.Errorf("target %q is %w: %w", text, ErrTarget, err)
	}
	wrong := func(why string) (Target, error) {
		return Target{}, fmt.Errorf("target %q is %w: %s", text, ErrTarget, why)
	}
	t.User, t.Host = u.User.Username(), u.Hostname()
	if _, given := u.User.Password(); given {
		return wrong("a password does not belong on a command line, ssh asks for it")
	}
	switch {
	case t.Host == "":
		return wrong("it names no host")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return wrong("something follows the host")
	// What begins so is an option to ssh, and to what ssh starts.
	case strings.HasPrefix(t.Host, "-") || strings.HasPrefix(t.User, "-"):
		return wrong("a name does not begin with a hyphen")
	case !plain(t.Host, "._-:%"):
		return wrong("a host's name has no such characters")
	case !plain(t.User, "._-+@~=,"):
		return wrong("a user's name has no such characters")
	case strings.Contains(t.Host, ":") && !isAddress(t.Host), !strings.Contains(t.Host, ":") && strings.Contains(t.Host, "%"):
		return wrong("an IPv6 address stands in brackets")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return wrong(fmt.Sprintf("%q is not a port", port))
		}
		t.Port = uint16(n)
	}
	return t, nil
}

// escapeZone writes the % before a zone as a URL has it: %25 (RFC 6874 §2).
func escapeZone(text string) string {
	before, address, bracket := strings.Cut(text, "[")
	ip, zone, zoned := strings.Cut(address, "%")
	if !bracket || !zoned || strings.HasPrefix(zone, "25") {
		return text
	}
	return before + "[" + ip + "%25" + zone
}

// plain says that a name has letters, digits and others alone. ssh's
// configuration may hand names to a shell: ProxyCommand, Match exec.
func plain(name, others string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(others, r)
	})
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// String is the target as ParseTarget reads it.
func (t Target) String() string {
	u := url.URL{Scheme: "ssh", Host: t.Host}
	if strings.Contains(t.Host, ":") {
		u.Host = "[" + t.Host + "]"
	}
	if t.Port != 0 {
		u.Host = net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port)))
	}
	if t.User != "" {
		u.User = url.User(t.User)
	}
	return u.String()
}
