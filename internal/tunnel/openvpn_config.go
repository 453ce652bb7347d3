package tunnel

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strings"

	"unchoke/internal/linux/proc"
)

// openvpnConfig is what a configuration, or the command line, says that bears
// on the way of the packets.
type openvpnConfig struct {
	device     string     // dev: tun, tun0, tap, …
	protocol   string     // proto: udp, tcp-client, …; empty is udp
	port       string     // of remotes that name none
	remotes    [][]string // remote, host, port, proto
	outer      string     // proto outside of the <connection> that is being read
	management string     // address and port, or a path and "unix"
	unix       bool
	touchy     string // an option by which a question disturbs the tunnel
	unread     error  // why the file that says the rest was not
}

// parseOpenvpnConfig reads a configuration file. Directives are words on a
// line; # and ; begin a comment.
func parseOpenvpnConfig(b []byte) *openvpnConfig {
	c := &openvpnConfig{port: "1194"}
	for _, line := range lines(string(b)) {
		c.take(strings.Fields(strings.TrimLeft(line, " \t-")))
	}
	return c
}

// take applies one directive: its name and its parameters, up to a comment or
// the command line's next one.
func (c *openvpnConfig) take(line []string) {
	words := make([]string, 4)
	for i := range words {
		if i >= len(line) || strings.HasPrefix(line[i], "#") || strings.HasPrefix(line[i], ";") || i > 0 && strings.HasPrefix(line[i], "--") {
			break
		}
		words[i] = strings.Trim(line[i], `"'`)
	}
	value := words[1]
	switch words[0] {
	case "dev":
		c.device = value
	case "proto":
		c.protocol = value
	case "port", "rport":
		c.port = value
	case "remote":
		c.remotes = append(c.remotes, words)
	case "<connection>":
		c.outer = c.protocol
	case "</connection>": // a proto in it is its own remote's
		if last := len(c.remotes) - 1; last >= 0 {
			c.remotes[last][3] = orElse(c.remotes[last][3], orElse(c.protocol, "udp"))
		}
		c.protocol = c.outer
	case "management": // an address and a port, or a path and "unix"
		c.management, c.unix = value, words[2] == "unix"
		if !c.unix {
			c.management = net.JoinHostPort(value, words[2])
		}
	// When a question ends OpenVPN restarts, or forgets its passwords; or management
	// is the address of another program, to which it connects.
	case "management-signal", "management-forget-disconnect", "management-client":
		c.touchy = words[0]
	}
}

// serves says whether a configuration's device may be this one: tun stands for
// the first that is free, and what was not read for any.
func (c *openvpnConfig) serves(device string) bool {
	return c.device == device || c.device == "" && c.unread != nil || (c.device == "tun" || c.device == "tap") && strings.HasPrefix(device, c.device)
}

// refuses says why the program cannot be asked, or must not.
func (c *openvpnConfig) refuses() error {
	switch {
	case c.unread != nil:
		return c.unread
	case c.management == "":
		return errors.New("openvpn's management interface is off: see management in its configuration")
	case c.touchy != "":
		return errors.New("openvpn was not asked: with " + c.touchy + " in its configuration a question may disturb the tunnel")
	}
	return nil
}

// transport is what the packets to a server's port travel in: that of the remote
// with this port or, where none has it, as through a proxy, of all. Empty where
// they differ, and where it was not read.
func (c *openvpnConfig) transport(port string) string {
	if c.unread != nil && c.protocol == "" {
		return ""
	}
	out, found := transportOf(c.protocol), false
	for i, r := range c.remotes {
		t, fits := transportOf(orElse(r[3], c.protocol)), port == orElse(r[2], c.port)
		switch {
		case i == 0 || fits && !found:
			out, found = t, fits
		case fits == found && t != out:
			out = ""
		}
	}
	return out
}

// transportOf is that of a proto: udp, tcp-client, tcp4-server, …; empty is udp.
func transportOf(protocol string) string {
	if strings.HasPrefix(protocol, "tcp") {
		return "tcp"
	}
	return "udp"
}

// openvpnOf reads the configuration that a process's command line names, and the
// line itself, which says something where the file cannot be read, too.
func openvpnOf(h host, process string) *openvpnConfig {
	args := arguments(h.Proc(), process)
	file := proc.Option(args, "config")
	if file == "" && len(args) == 2 && !strings.HasPrefix(args[1], "-") {
		file = args[1] // openvpn FILE
	}
	// Its name is from the directory that --cd names, else from the one that the
	// process is in: systemd's units give it.
	dir := proc.Option(args, "cd")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("/proc", process, "cwd")
	}
	place := file
	if !filepath.IsAbs(file) {
		place = filepath.Join(dir, file)
	}
	var b []byte
	var err error
	if file != "" {
		b, err = h.ReadFile(place)
	}
	c := parseOpenvpnConfig(b)
	if err != nil {
		if errors.Is(err, errAbsent) {
			err = fs.ErrNotExist // but the program runs
		}
		c.unread = fmt.Errorf("read openvpn's configuration %s: %w", file, err)
	}
	for i, arg := range args {
		if strings.HasPrefix(arg, "--") {
			c.take(append([]string{arg[2:]}, args[i+1:]...))
		}
	}
	return c
}
