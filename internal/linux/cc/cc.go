// Package cc asks the kernel which congestion controls its sockets may use.
package cc

import (
	"fmt"
	"slices"

	"unchoke/internal/linux/sysctl"
)

// Have is whether a new socket of this process can use an algorithm.
type Have int

const (
	Unknown    Have = iota // could not tell
	No                     // not loaded
	Restricted             // loaded, but this process may not use it
	Yes
)

func (h Have) String() string {
	switch h {
	case No:
		return "no"
	case Restricted:
		return "restricted"
	case Yes:
		return "yes"
	}
	return "unknown"
}

// Available are the algorithms that are loaded or built in.
func Available(t sysctl.Tree) ([]string, error) {
	return t.Words("net.ipv4.tcp_available_congestion_control")
}

// Allowed are those that a process without CAP_NET_ADMIN may choose.
func Allowed(t sysctl.Tree) ([]string, error) {
	return t.Words("net.ipv4.tcp_allowed_congestion_control")
}

// Default is the one that new sockets get.
func Default(t sysctl.Tree) (string, error) {
	return t.String("net.ipv4.tcp_congestion_control")
}

// Probe tells whether a new socket of this process can use the named algorithm
// as this host stands now. It changes nothing: a socket is tried only with what
// is loaded, since for a process with CAP_NET_ADMIN the kernel would load the
// module to satisfy it.
func Probe(name string) (Have, error) {
	loaded, err := Available(sysctl.Kernel)
	if err != nil {
		return Unknown, fmt.Errorf("probe congestion control %s: %w", name, err)
	}
	if !slices.Contains(loaded, name) {
		return No, nil
	}
	return try(name)
}
