//go:build !slim

package request

import (
	"errors"
	"net"
	"strings"

	"unchoke/internal/hint"
)

// unresolved says why a target's host has no address, and what to do.
func unresolved(err error, host string, family Family) error {
	if strings.ContainsAny(host, "[]") {
		return Refuse("an IPv6 address stands alone or between brackets: [2001:db8::7]:5201", "target %q: the brackets do not match", host)
	}
	if _, wrongKind := errors.AsType[*net.AddrError](err); wrongKind && family != AnyFamily {
		return Refuse("leave out -"+string(family), "%s has no IPv%s address", host, family)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && !dns.IsNotFound {
		return hint.With(err, "see that this host's name server is up (/etc/resolv.conf, `resolvectl`); an address works without one")
	}
	next := "check the spelling; an address works as well"
	if family != AnyFamily {
		next += "; without -" + string(family) + " an address of the other family does too"
	}
	return hint.With(err, next)
}
