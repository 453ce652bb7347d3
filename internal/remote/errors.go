//go:build !slim

package remote

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is why a far host cannot be used, with the next step.
type Error struct {
	Target Target
	what   string
	said   string // by ssh or the far side; empty where what has it all
	hint   string
	cause  error
	kind   error // that errors.Is finds; its words are not said
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s", e.Target, e.what)
	switch {
	case e.said != "":
		text += ": " + e.said
	case e.cause != nil:
		text += ": " + e.cause.Error()
	}
	return text
}

func (e *Error) Hint() string  { return e.hint }
func (e *Error) Unwrap() error { return e.cause }

// Is finds the kind of the error.
func (e *Error) Is(target error) bool { return e.kind != nil && target == e.kind }

// complaint is what a line of ssh's means.
type complaint struct {
	says string // part of the line
	what string
	hint string // %s is ssh's arguments for the host
}

// complaints are OpenSSH's errors, the more telling first: several may come at
// once.
var complaints = []complaint{
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key has changed: it was set up anew, or somebody stands between", "ask its owner for the new key's fingerprint; then `ssh-keygen -R KNOWN`, and `ssh %s` once"},
	{"Host key verification failed", "its host key is not known", "run `ssh %s` once and compare the fingerprint; unchoke accepts no key for you"},
	{"No matching host key", "its host key is not known", "run `ssh %s` once and compare the fingerprint"},
	{"Could not resolve hostname", "its name is not known", "check the name; ssh's configuration may have another alias"},
	{"Bad owner or permissions", "ssh refuses its configuration", "chmod go-w the file that it names"},
	{"Bad configuration option", "ssh refuses its configuration", "correct the line that it names"},
	{"Too many authentication failures", "it refused the login: the agent offered too many keys", "set IdentityFile and `IdentitiesOnly yes` for this host in ssh's configuration"},
	{"no matching", "ssh and it have no algorithm in common", "`ssh -v %s` lists what either offers"},
	{"Permission denied (", "it refused the login", "`ssh %s true` must work; load the key into the agent with `ssh-add`, or run unchoke in a terminal, where ssh can ask"},
	{"Connection refused", "nothing listens on its SSH port", "start sshd there, or name the port: ssh://host:port"},
	{"timed out", "it does not answer on its SSH port", "check that it is up and that no firewall drops the port; a jump host goes into ssh's configuration (ProxyJump)"},
	{"No route to host", "no network leads to it", "check the address and this host's routes"},
	{"Network is unreachable", "no network leads to it", "check the address and this host's routes"},
	{"kex_exchange_identification", "what listens there ended the connection before it named its version", "check the port; a server may also refuse whole networks, or be full (MaxStartups)"},
	{"Connection reset", "the connection was reset", "try again; `ssh %s true` must work"},
	{"Connection closed", "the connection was closed", "try again; `ssh %s true` must work"},
}

// ErrStalled says that the far host's SSH port answers, and large packets likely
// do not pass.
var ErrStalled = errors.New("the key exchange got no answer")

// stalled is the error of a connection that ended without a word while keys were
// exchanged, whose packets fill the route's MTU; nil where it was not so.
func stalled(t Target, log *sshLog) *Error {
	said := strings.Join(log.lines(), "\n")
	silent := strings.Contains(said, "timed out") || strings.Contains(said, "Connection closed") || strings.Contains(said, "Connection reset")
	if !silent || !log.stalled() {
		return nil
	}
	return &Error{
		Target: t, kind: ErrStalled,
		what: "its SSH port answers, and the key exchange, whose packets are the first large ones, gets no answer: likely large packets vanish on the way (an MTU hole)",
		hint: t.hint("compare `ping -c 3 -M do -s 1372 HOST` with `-s 500`; where the large ones get no answer, lower the MTU of the route or the tunnel there, or have a router clamp the MSS"),
	}
}

// explain turns what ssh said into an error, when it ended before far.sh spoke. Its
// hints name ssh's options that the user's configuration needs.
func explain(t Target, said []string, status int, options ...string) *Error {
	all := strings.Join(said, "\n")
	for _, c := range complaints {
		if strings.Contains(all, c.says) {
			return &Error{Target: t, what: c.what, hint: t.hint(c.hint, options...)}
		}
	}
	if status == statusSSH {
		return &Error{Target: t, what: "ssh failed", said: last(said), hint: t.hint("`ssh %s true` must work", options...)}
	}
	return &Error{
		Target: t, what: fmt.Sprintf("its login shell does not run commands (status %d)", status), said: last(said),
		hint: t.hint("`ssh %s sh -c true` must work: use an account with an ordinary POSIX shell, and no forced command. Or start `unchoke serve` there by hand, and check that", options...),
	}
}

// statusSSH is ssh's exit status for errors of its own.
const statusSSH = 255

// hint puts the host into a hint, as one would type it, after options of ssh's.
func (t Target) hint(text string, options ...string) string {
	args := slices.Clone(options)
	if t.Port != 0 {
		args = append(args, fmt.Sprintf("-p %d", t.Port))
	}
	host := t.Host
	if t.User != "" {
		host = t.User + "@" + host
	}
	known := t.Host // as known_hosts has it
	if t.Port != 0 && t.Port != 22 {
		known = fmt.Sprintf("'[%s]:%d'", t.Host, t.Port)
	}
	return strings.NewReplacer("%s", strings.Join(append(args, host), " "), "HOST", t.Host, "KNOWN", known).Replace(text)
}

// hint is the target's, with the options that the user's configuration needs.
func (h *Host) hint(text string) string { return h.Target.hint(text, h.held...) }

// connectionLost is the error of a connection that broke. A shell says "Killed" of
// what its guard in far.sh ends, or the kernel for want of memory.
func connectionLost(target Target, said string, cause error) *Error {
	hint := "run it again; what ran there ends by itself and leaves nothing"
	if said == "Killed" {
		hint = fmt.Sprintf("its guard there ends it, and leaves nothing, where nothing comes from here for %v: does the path stand still for so long? Or that host lacks memory", Lease)
	}
	return &Error{Target: target, what: "the connection is lost", said: said, cause: cause, hint: hint}
}

func lastLine(text string) string { return last(strings.Split(text, "\n")) }

func last(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if s := strings.TrimSpace(lines[i]); s != "" {
			return s
		}
	}
	return ""
}
