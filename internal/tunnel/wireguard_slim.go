//go:build slim

package tunnel

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/record"
)

// WireGuard asks the command wg, which routers with tunnels have: the library
// for this brings half a megabyte of ciphers.
func (s system) WireGuard(ctx context.Context, name string) (wireguardDevice, error) {
	var said [3][]byte
	for i, what := range []string{"allowed-ips", "endpoints", "latest-handshakes"} {
		var err error
		if said[i], err = s.Run(ctx, "wg", "show", name, what); err != nil {
			return wireguardDevice{}, err
		}
	}
	dev, err := shown(said[0], said[1], said[2])
	dev.carrier = record.Userspace
	if event, err := os.ReadFile("/sys/class/net/" + name + "/uevent"); err == nil && strings.Contains(string(event), "DEVTYPE=wireguard") {
		dev.carrier = record.Kernel
	}
	return dev, err
}

// shown reads what `wg show DEVICE allowed-ips`, `endpoints` and
// `latest-handshakes` print (wg(8)): a line a peer, its key and a tab before the
// rest.
func shown(allowed, endpoints, handshakes []byte) (wireguardDevice, error) {
	var dev wireguardDevice
	at := map[string]int{}
	for key, text := range perPeer(allowed) {
		p := wireguardPeer{key: key}
		for word := range strings.FieldsSeq(text) {
			if word == "(none)" {
				continue
			}
			prefix, err := netip.ParsePrefix(word)
			if err != nil {
				return dev, anotherVersion("wg", err)
			}
			p.allowed = append(p.allowed, prefix)
		}
		at[key] = len(dev.peers)
		dev.peers = append(dev.peers, p)
	}
	for key, text := range perPeer(endpoints) {
		if i, ok := at[key]; ok && text != "(none)" {
			dev.peers[i].endpoint = text
		}
	}
	for key, text := range perPeer(handshakes) {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return dev, anotherVersion("wg", fmt.Errorf("handshake %q: %w", text, err))
		}
		if i, ok := at[key]; ok && seconds > 0 {
			dev.peers[i].handshake = time.Unix(seconds, 0)
		}
	}
	return dev, nil
}

// perPeer yields each line's key and what follows it.
func perPeer(text []byte) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(string(text)) {
			if key, rest, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && !yield(key, rest) {
				return
			}
		}
	}
}
