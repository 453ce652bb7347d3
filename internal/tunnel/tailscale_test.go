package tunnel

import (
	"errors"
	"strings"
	"testing"
	"time"

	"unchoke/internal/record"
)

func TestTailscale(t *testing.T) {
	relayed := record.Relay{Name: "nyc", Transport: "tcp"}
	for _, name := range versions(t, "tailscale-*-ipnstate.Status.json") {
		b := fixture(t, name)
		for address, want := range map[string]state{
			"100.101.1.2":       {peer: "direct", via: record.Direct, endpoint: "192.0.2.7:41641"}, // Relay is only its region
			"fd7a:115c:a1e0::2": {peer: "direct", via: record.Direct, endpoint: "192.0.2.7:41641"},
			"10.20.1.1":         {peer: "direct", via: record.Direct, endpoint: "192.0.2.7:41641"}, // routed by that peer
			"100.101.1.3":       {peer: "relayed", via: record.Relayed, relay: relayed},
			"10.20.30.1":        {peer: "relayed", via: record.Relayed, relay: relayed}, // the longer prefix wins
			"198.51.100.1":      {peer: "relayed", via: record.Relayed, relay: relayed}, // an exit node
			"100.101.1.5":       {peer: "idle", via: record.Idle},
		} {
			got, err := parseTailscale(b, to("100.101.1.1", address))
			if err != nil || got.peer != want.peer || got.via != want.via || got.endpoint != want.endpoint || got.relay != want.relay {
				t.Errorf("%s: to %s: %+v, %v, want %+v", name, address, got, err, want)
			}
			if got.nearTCP != record.Kernel || got.carrier != record.Userspace || !strings.HasPrefix(got.program, "tailscaled 1.") {
				t.Errorf("%s: %+v", name, got)
			}
			if own := strings.HasPrefix(address, "100.") || strings.HasPrefix(address, "fd7a"); own != (got.target == record.AtPeer) || !own && got.target != record.Behind {
				t.Errorf("%s: %s: the target is %s", name, address, got.target)
			}
			if (got.via == record.Idle) != got.handshake.IsZero() {
				t.Errorf("%s: to %s: handshake %v", name, address, got.handshake)
			}
		}
		cut(t, name, b, func(b []byte) error { _, err := parseTailscale(b, to("100.101.1.1", "100.101.1.2")); return err })
	}
}

// The daemon that wrote these served a lab path, direct and with UDP dropped.
func TestTailscaleOfTheLab(t *testing.T) {
	direct, err := parseTailscale(fixture(t, "tailscale-1.102.5-ipnstate.Status-direct.json"), to("100.64.0.2", "100.64.0.1"))
	if err != nil || direct.via != record.Direct || direct.endpoint != "10.0.0.2:41641" || direct.peer != "far" {
		t.Errorf("%+v, %v", direct, err)
	}
	relayed, err := parseTailscale(fixture(t, "tailscale-1.102.5-ipnstate.Status-relayed.json"), to("100.64.0.2", "100.64.0.1"))
	if err != nil || relayed.via != record.Relayed || relayed.relay.Name != "lab" || time.Since(relayed.handshake) > 100*365*24*time.Hour {
		t.Errorf("%+v, %v", relayed, err)
	}
}

func TestTailscalePeerRelay(t *testing.T) {
	got, err := parseTailscale(fixture(t, "tailscale-1.90.9-ipnstate.Status.json"), to("100.101.1.1", "100.101.1.4"))
	if err != nil || got.via != record.PeerRelay || got.endpoint != "192.0.2.9:40000" {
		t.Errorf("%+v, %v", got, err)
	}
	for in, want := range map[string]string{
		"192.0.2.9:40000:vni:1":    "192.0.2.9:40000",
		"192.0.2.9:40000:7":        "192.0.2.9:40000",
		"[2001:db8::1]:40000:vni1": "[2001:db8::1]:40000",
		"nonsense":                 "nonsense",
	} {
		if got := withoutVNI(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A daemon without a TUN device has a TCP of its own, and its address is not on
// any device. One with another address than the device's is another network's.
func TestTailscaleWithoutTUN(t *testing.T) {
	without := fixture(t, "tailscale-1.90.9-ipnstate.Status-TUN-false.json")
	got, err := parseTailscale(without, to("192.0.2.1", "100.101.1.2"))
	if err != nil || got.nearTCP != record.Userspace || got.via != record.Direct {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := parseTailscale(without, to("192.0.2.1", "100.99.0.1")); err != nil {
		t.Log(err) // the exit node's default route takes it
	}
	if _, err := parseTailscale(fixture(t, "tailscale-1.90.9-ipnstate.Status.json"), to("192.0.2.1", "100.101.1.2")); !errors.Is(err, errOtherNetwork) {
		t.Errorf("of another daemon: %v", err)
	}
}

func TestTailscaleOfAnotherVersion(t *testing.T) {
	for _, b := range []string{``, `{}`, `[]`, `{"BackendState":3}`, `{"Peer":{"a":1},"BackendState":"Running"}`} {
		if _, err := parseTailscale([]byte(b), to("", "100.101.1.2")); err == nil {
			t.Errorf("%q was accepted", b)
		}
	}
	got, err := parseTailscale([]byte(`{"BackendState":"NeedsLogin","TailscaleIPs":["100.101.1.1"],"Peer":null}`), to("100.101.1.1", "100.101.1.2"))
	if err != nil || got.via != "" || len(got.unknown) != 1 {
		t.Errorf("a daemon that is not up: %+v, %v", got, err)
	}
}

func TestTailscaleNode(t *testing.T) {
	yes, no := true, false
	node := func(name string) tailscaleNode {
		n, err := parseTailscaleNode(fixture(t, name))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	versions(t, "tailscale-*-apitype.WhoIsResponse*.json")
	blocked := node("tailscale-1.102.5-apitype.WhoIsResponse-self.json")
	userspace := node("tailscale-1.102.5-apitype.WhoIsResponse-peer-userspace.json")
	silent := node("tailscale-1.32.3-apitype.WhoIsResponse-peer.json")
	hard := node("tailscale-1.90.9-apitype.WhoIsResponse-self.json")
	if u := userspace.Node.Hostinfo.Userspace; u == nil || !*u {
		t.Error("a peer in userspace is not known as one")
	}
	if len(silent.Node.Endpoints) != 2 || silent.Node.Endpoints[0].String() != "192.0.2.7:41641" {
		t.Errorf("endpoints %v", silent.Node.Endpoints)
	}
	same := func(got, want *bool) bool { return (got == nil) == (want == nil) && (got == nil || *got == *want) }
	if c := directCheck(blocked, userspace); !same(c.UDP, &no) || !same(c.PeerUDP, &yes) || !same(c.HardNAT, nil) {
		t.Errorf("%+v", c)
	}
	if c := directCheck(hard, silent); !same(c.UDP, &yes) || !same(c.HardNAT, &yes) || !same(c.PeerUDP, nil) || !same(c.PortMap, &no) {
		t.Errorf("%+v", c)
	}
	if c := directCheck(silent, silent); c != nil {
		t.Errorf("nothing is known, and yet %+v", c)
	}
}

func TestTailscaleRelays(t *testing.T) {
	for _, name := range versions(t, "tailscale-*-tailcfg.DERPMap.json") {
		b := fixture(t, name)
		region, want := "fra", "198.51.100.8:443 [2001:db8::8]:443 derp4c.example:443"
		if strings.Contains(name, "1.102.5") {
			region, want = "lab", "10.0.0.2:8443 10.0.0.2:8443"
		}
		if got, err := parseTailscaleRelays(b, region); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
		if got, err := parseTailscaleRelays(b, "nowhere"); err != nil || len(got) != 0 {
			t.Errorf("%s: a region that is not there: %s, %v", name, got, err)
		}
		cut(t, name, b, func(b []byte) error { _, err := parseTailscaleRelays(b, region); return err })
	}
}

// A network's own map of relays may give a name alone.
func TestTailscaleRelayByName(t *testing.T) {
	for nodes, want := range map[string]string{
		`{"HostName":"derp.example"}`:                                                                      "derp.example:443",
		`{"HostName":"derp.example","IPv4":"198.51.100.8","DERPPort":8443}`:                                "198.51.100.8:8443 derp.example:8443",
		`{"HostName":"derp.example","IPv4":"none","IPv6":"2001:db8::8"}`:                                   "[2001:db8::8]:443 derp.example:443",
		`{"HostName":"a.example","IPv6":"none"},{"HostName":"b.example","IPv4":"192.0.2.1","IPv6":"none"}`: "a.example:443 192.0.2.1:443 b.example:443",
	} {
		got, err := parseTailscaleRelays([]byte(`{"Regions":{"1":{"RegionCode":"own","Nodes":[`+nodes+`]}}}`), "own")
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %s, %v, want %s", nodes, got, err, want)
		}
	}
}

func FuzzTailscale(f *testing.F) {
	for _, name := range versions(f, "tailscale-*.json") {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(_ *testing.T, b []byte) {
		parseTailscale(b, to("100.101.1.1", "100.101.1.3"))
		parseTailscaleRelays(b, "fra")
		if n, err := parseTailscaleNode(b); err == nil {
			directCheck(n, n)
		}
	})
}
