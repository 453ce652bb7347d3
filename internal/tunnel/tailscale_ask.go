package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"unchoke/internal/linux/proc"
	"unchoke/internal/record"
)

// tailscaleSockets are the usual places of tailscaled's socket (tailscale.com,
// paths/paths.go): Linux and the BSDs, macOS's open-source daemon, Synology,
// gokrazy, QNAP.
var tailscaleSockets = []string{
	"/var/run/tailscale/tailscaled.sock",
	"/var/run/tailscaled.socket",
	"/var/packages/Tailscale/var/tailscaled.sock",
	"/var/packages/Tailscale/etc/tailscaled.sock",
	"/perm/tailscaled/tailscaled.sock",
	"/tmp/tailscale/tailscaled.sock",
}

// askTailscale asks the daemons of this host, the usual one first, for the one
// that has the device.
func askTailscale(ctx context.Context, h host, q query) (state, error) {
	sockets := slices.Clone(tailscaleSockets)
	for _, dir := range running(h.Proc(), "tailscaled") {
		if s := proc.Option(arguments(h.Proc(), dir), "socket"); s != "" && !slices.Contains(sockets, s) {
			sockets = append(sockets, s)
		}
	}
	var first error
	for _, socket := range sockets {
		api := localAPI{h, socket}
		b, err := api.get(ctx, "status")
		if errors.Is(err, errAbsent) {
			continue
		}
		var s state
		if err == nil {
			s, err = parseTailscale(b, q)
		}
		if err == nil {
			return api.complete(ctx, q, s), nil
		}
		if first == nil || errors.Is(first, errOtherNetwork) {
			first = err
		}
	}
	if first == nil {
		first = fmt.Errorf("tailscaled: %w", errAbsent)
	}
	return state{}, first
}

// localAPI is tailscaled's HTTP interface for the programs of its own host.
type localAPI struct {
	host   host
	socket string
}

// complete adds what only further questions tell. Where one of them fails the
// rest still holds.
func (a localAPI) complete(ctx context.Context, q query, s state) state {
	if s.via == "" {
		return s
	}
	peer := a.node(ctx, q.address)
	if user := peer.Node.Hostinfo.Userspace; user != nil {
		s.farTCP = record.Kernel
		if *user {
			s.farTCP = record.Userspace
		}
	}
	if s.via != record.Relayed {
		return s
	}
	s.candidates = peer.Node.Endpoints
	if s.direct = directCheck(a.node(ctx, q.source), peer); s.direct == nil {
		s.unknown = append(s.unknown, "why there is no direct path: the coordination server does not hand out the nodes' network checks; `tailscale netcheck` tells of this host")
	}
	if b, err := a.get(ctx, "derpmap"); err == nil {
		if all, err := parseTailscaleRelays(b, s.relay.Name); err == nil && len(all) > 0 {
			s.relay.Address, s.relays = all[0], all[1:]
		}
	}
	return s
}

// node is what the daemon knows of the node with an address; the zero value
// where it knows nothing.
func (a localAPI) node(ctx context.Context, address netip.Addr) tailscaleNode {
	b, err := a.get(ctx, "whois?addr="+strings.ReplaceAll(address.String(), "%", "%25"))
	if err != nil {
		return tailscaleNode{}
	}
	n, err := parseTailscaleNode(b)
	if err != nil {
		return tailscaleNode{}
	}
	return n
}

func (a localAPI) get(ctx context.Context, what string) ([]byte, error) {
	conn, err := a.host.Dial(ctx, "unix", a.socket)
	if err != nil {
		return nil, fmt.Errorf("ask tailscaled: %w", err)
	}
	// The daemon takes this host name only.
	said, err := get(ctx, conn, "local-tailscaled.sock", "/localapi/v0/"+what)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask tailscaled: %w", err)
	case said.code == statusForbidden:
		return nil, fmt.Errorf("ask tailscaled: %w", errForbidden)
	case said.code != statusOK:
		return nil, fmt.Errorf("ask tailscaled for %s: %d %s", what, said.code, said.text)
	}
	return said.body, nil
}

// Status codes (RFC 1945, section 9).
const (
	statusOK        = 200
	statusForbidden = 403
)
