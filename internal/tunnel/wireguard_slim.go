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
	for _, line := range perPeer(allowed) {
		key, text := line[0], line[1]
		p := wireguardPeer{key: key}
		words := strings.Fields(text)
		if text == "(none)" {
			words = nil
		}
		for _, word := range words {
			prefix, err := netip.ParsePrefix(word)
			if err != nil {
				return dev, anotherVersion("wg", err)
			}
			p.allowed = append(p.allowed, prefix)
		}
		at[key] = len(dev.peers)
		dev.peers = append(dev.peers, p)
	}
	for _, line := range perPeer(endpoints) {
		key, text := line[0], line[1]
		if i, ok := at[key]; ok && text != "(none)" {
			dev.peers[i].endpoint = text
		}
	}
	for _, line := range perPeer(handshakes) {
		key, text := line[0], line[1]
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

// perPeer lists each line's key and what follows it.
func perPeer(text []byte) [][]string {
	var all [][]string
	for _, line := range lines(string(text)) {
		if words := strings.SplitN(strings.TrimSpace(line), "\t", 2); len(words) == 2 {
			all = append(all, words)
		}
	}
	return all
}
