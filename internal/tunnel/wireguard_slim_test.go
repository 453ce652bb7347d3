//go:build slim

package tunnel

import (
	"reflect"
	"testing"

	"unchoke/internal/record"
)

// What `wg show DEVICE …` prints, of wireguard-tools 1.0.20210914.
func TestWireguardShown(t *testing.T) {
	const never, spoke = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\t", "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\t"
	got, err := shown(
		[]byte(never+"0.0.0.0/0\n"+spoke+"10.0.1.2/32 fd00:1::/64\n"),
		[]byte(never+"(none)\n"+spoke+"192.0.2.8:51820\n"),
		[]byte(never+"0\n"+spoke+"1763632800\n"))
	if err != nil {
		t.Fatal(err)
	}
	got.carrier = record.Kernel
	for i := range got.peers {
		if !got.peers[i].handshake.IsZero() {
			got.peers[i].handshake = got.peers[i].handshake.UTC()
		}
	}
	if want := twoPeers(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, err := shown([]byte(never+"(none)\n"), nil, nil); err != nil || len(got.peers) != 1 || got.peers[0].allowed != nil {
		t.Errorf("a peer of no address: %+v, %v", got, err)
	}
	for _, bad := range [][2]string{{never + "10.0.0.1", ""}, {"", never + "now"}} {
		if _, err := shown([]byte(bad[0]), nil, []byte(bad[1])); err == nil {
			t.Errorf("read: %q", bad)
		}
	}
}

func FuzzWireguardShown(f *testing.F) {
	f.Add([]byte("k\t10.0.0.0/8\n"), []byte("k\t(none)\n"), []byte("k\t1\n"))
	f.Fuzz(func(t *testing.T, allowed, endpoints, handshakes []byte) {
		dev, err := shown(allowed, endpoints, handshakes)
		if err == nil && len(dev.peers) > len(allowed) {
			t.Errorf("%d peers of %q", len(dev.peers), allowed)
		}
	})
}
