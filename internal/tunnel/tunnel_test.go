package tunnel

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"unchoke/internal/linux/device"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// actor is a host whose programs say what a test wants.
type actor struct {
	proc  fstest.MapFS
	files map[string]string
	fail  map[string]error // of files that cannot be read
	run   func(ctx context.Context, line string) ([]byte, error)
	dial  func(ctx context.Context, address string) (net.Conn, error)

	wireguard wireguardDevice // root's, where it has peers
}

func (a actor) Proc() fs.FS { return a.proc }

func (a actor) Run(ctx context.Context, name string, args ...string) ([]byte, error) {
	return a.run(ctx, strings.Join(append([]string{name}, args...), " "))
}

func (a actor) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	return a.dial(ctx, address)
}

func (a actor) ReadFile(name string) ([]byte, error) {
	if err := a.fail[name]; err != nil {
		return nil, err
	}
	if text, ok := a.files[name]; ok {
		return []byte(text), nil
	}
	return nil, why(fs.ErrNotExist)
}

func (a actor) LookUp(context.Context, string) []netip.Addr { return nil }

func (a actor) Own() []netip.Addr {
	return []netip.Addr{netip.MustParseAddr("172.17.0.1"), netip.MustParseAddr("192.0.2.1")}
}

func (a actor) Connections(netip.AddrPort) ([]sockdiag.Connection, error) { return nil, nil }

func (a actor) WireGuard(context.Context, string) (wireguardDevice, error) {
	if a.wireguard.peers == nil {
		return wireguardDevice{}, why(fs.ErrPermission)
	}
	return a.wireguard, nil
}

// watcher follows a device of a kind on a host.
func watcher(h host, name, kind, source, address string) *Watcher {
	w := &Watcher{host: h, query: query{
		address: netip.MustParseAddr(address), source: netip.MustParseAddr(source),
		device: device.Device{Index: 7, Name: name, Kind: kind, MTU: 1280},
	}}
	w.underlay = func(outer netip.Addr) (record.Underlay, error) {
		return record.Underlay{Address: outer.String(), Device: "eth0", MTU: 1500}, nil
	}
	w.identify(h.Proc())
	return w
}

// Whatever a source that tells nothing does, it costs the run a second at most; the record
// says what was not learned and why.
func TestSilence(t *testing.T) {
	hang := func(ctx context.Context, _ string) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }
	deaf := func(context.Context, string) ([]byte, error) { time.Sleep(time.Hour); return nil, nil }
	fail := func(err error) func(context.Context, string) ([]byte, error) {
		return func(context.Context, string) ([]byte, error) { return nil, err }
	}
	lie := func(b string) func(context.Context, string) ([]byte, error) {
		return func(context.Context, string) ([]byte, error) { return []byte(b), nil }
	}
	for name, c := range map[string]struct {
		run   func(context.Context, string) ([]byte, error)
		words string
	}{
		"hangs":           {hang, "no answer within 1s"},
		"heeds nothing":   {deaf, "no answer within 1s"},
		"not installed":   {fail(why(fs.ErrNotExist)), "not installed"},
		"not permitted":   {fail(why(fs.ErrPermission)), "not permitted"},
		"speaks nonsense": {lie("Daemon status: NeedsLogin"), "form that this version of unchoke does not know"},
		"another form":    {lie(`{"peers": 3}`), "form that this version of unchoke does not know"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := watcher(actor{run: c.run}, "wt0", "wireguard", "100.92.0.1", "100.92.0.3")
				begun := time.Now()
				for range 5 {
					w.Look(t.Context(), time.Since(begun))
				}
				if took := time.Since(begun); took > Patience {
					t.Errorf("it cost the run %v", took)
				}
				got := w.Tunnel()
				if got.Kind != netbird || got.Device != "wt0" || len(got.Unknown) != 1 || !strings.Contains(got.Unknown[0], c.words) {
					t.Errorf("%+v, want %q unknown", got, c.words)
				}
				time.Sleep(2 * time.Hour) // until the deaf one is done
			})
		})
	}
}

// A source that takes its time is asked after traffic as well as before.
func TestSlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := fixture(t, "netbird-0.50.0-OutputOverview.json")
		asked := 0
		w := watcher(actor{run: func(context.Context, string) ([]byte, error) {
			time.Sleep(700 * time.Millisecond)
			asked++
			return answer, nil
		}}, "wt0", "wireguard", "100.92.0.1", "100.92.0.3")
		w.Look(t.Context(), 0)
		w.Look(t.Context(), 20*time.Second)
		if got := w.Tunnel(); asked != 2 || len(got.Unknown) > 0 {
			t.Errorf("asked %d times, and %q is unknown", asked, got.Unknown)
		}
	})
}

// An answer that keeps nobody waiting any more is noted when it comes; nobody asks again.
func TestLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := fixture(t, "netbird-0.50.0-OutputOverview.json")
		asked := 0
		w := watcher(actor{run: func(ctx context.Context, _ string) ([]byte, error) {
			asked++
			select {
			case <-time.After(6 * time.Second):
				return good, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}, "wt0", "wireguard", "100.92.0.1", "100.92.0.3")
		begun := time.Now()
		w.Look(t.Context(), 2*time.Second)
		if took, got := time.Since(begun), w.Tunnel(); took != Patience || len(got.Unknown) != 1 {
			t.Errorf("after %v: %+v", took, got)
		}
		time.Sleep(6 * time.Second)
		w.Look(t.Context(), 9*time.Second)
		got := w.Tunnel()
		if asked != 1 || len(got.Unknown) != 0 || !got.Relayed || len(got.Ways) != 1 || got.Ways[0].From != 8 {
			t.Errorf("asked %d times: %+v", asked, got)
		}
	})
}

// Asked during a test, a source that hangs is asked once, and the record keeps
// what it had said before.
func TestSilenceLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := fixture(t, "netbird-0.50.0-OutputOverview.json")
		var asked atomic.Int32
		w := watcher(actor{run: func(ctx context.Context, _ string) ([]byte, error) {
			if asked.Add(1) == 1 {
				return good, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}, "wt0", "wireguard", "100.92.0.1", "100.92.0.3")
		w.Look(t.Context(), 0)
		for i := range 3 {
			w.Look(t.Context(), time.Duration(i)*time.Second)
		}
		w.Look(t.Context(), 5*time.Second)
		if got := w.Tunnel(); asked.Load() != 2 || !got.Relayed || len(got.Unknown) != 1 || got.Relay.Name != "relay.example" {
			t.Errorf("asked %d times: %+v", asked.Load(), got)
		}
	})
}

// What was found so far stays what it is while the watcher goes on.
func TestFoundSoFarIsACopy(t *testing.T) {
	all := connections{all: []sockdiag.Connection{{Remote: netip.MustParseAddrPort("198.51.100.8:443"), Local: netip.MustParseAddrPort("10.0.0.1:1"), CC: "cubic", Info: &tcpinfo.Info{BytesAcked: 5}}}}
	w := &Watcher{tunnel: record.Tunnel{
		Relayed: true, Underlay: &record.Underlay{Address: "198.51.100.7"}, Direct: &record.DirectCheck{},
	}, candidates: []netip.AddrPort{netip.MustParseAddrPort("198.51.100.7:41641")}}
	relay := record.Relay{Address: "198.51.100.8:443", Transport: "tcp"}
	w.outer.sample(t.Context(), all, &relay, nil, 0)
	relay.TCP = w.outer.series
	w.tunnel.Relay = &relay
	found := w.Tunnel()
	w.outer.sample(t.Context(), all, &relay, nil, 1)
	w.outer.series.Samples[0].Bytes = 7
	w.Heard(netip.MustParseAddr("198.51.100.7"), time.Millisecond)
	if s := found.Relay.TCP.Samples; len(s) != 1 || s[0].Bytes != 5 || found.Underlay.RTT != 0 || found.Direct.RTT != 0 {
		t.Errorf("it has changed: %+v, %+v, %+v", s, found.Underlay, found.Direct)
	}
	if now := w.Tunnel(); len(now.Relay.TCP.Samples) != 2 || now.Underlay.RTT == 0 || now.Direct.RTT == 0 {
		t.Errorf("later: %+v", now)
	}
}

// A path that changes is in the record: which way, from when to when.
func TestWays(t *testing.T) {
	files := []string{"idle", "relayed", "relayed", "direct", "direct", "idle"}
	w := watcher(actor{}, "tailscale0", "tun", "100.101.1.1", "100.101.1.2")
	asked := 0
	w.source.ask = func(context.Context, host, query) (state, error) {
		asked++
		switch files[asked-1] {
		case "idle":
			return state{via: record.Idle}, nil
		case "relayed":
			return state{via: record.Relayed, relay: record.Relay{Name: "nyc", Address: "198.51.100.1:443"}}, nil
		}
		return state{via: record.Direct, endpoint: "192.0.2.7:41641"}, nil
	}
	for i := range files {
		w.Look(t.Context(), time.Duration(i)*time.Second)
		if i == 2 {
			outside := w.Outside()
			if len(outside) == 0 || outside[0].String() != "198.51.100.1" {
				t.Fatalf("outside %v", outside)
			}
			w.Heard(outside[0], 80*time.Millisecond)
			if got := w.Tunnel(); got.Underlay.RTT != 0.08 {
				t.Errorf("heard %+v", got.Underlay)
			}
		}
	}
	got := w.Tunnel()
	want := []record.Way{
		{From: 0, To: 0, Via: record.Idle},
		{From: 1, To: 2, Via: record.Relayed, Relay: "nyc"},
		{From: 3, To: 4, Via: record.Direct, Endpoint: "192.0.2.7:41641"},
		{From: 5, To: 5, Via: record.Idle},
	}
	if !slices.Equal(got.Ways, want) {
		t.Errorf("%+v, want %+v", got.Ways, want)
	}
	// What the path was last used for is what the record says of it.
	if got.Target != record.PerhapsBehind {
		t.Errorf("nobody told where the target is, and yet: %s", got.Target)
	}
	if got.Relayed || got.Endpoint != "192.0.2.7:41641" || got.Underlay.Address != "192.0.2.7" || got.MTU != 1280 || got.Underlay.MTU != 1500 {
		t.Errorf("%+v", got)
	}
}

// The way of the outer packets is that of the path in use, or not known.
func TestUnderlayOfTheLastWay(t *testing.T) {
	direct := state{via: record.Direct, endpoint: "192.0.2.7:51820"}
	for what, c := range map[string]struct {
		next state
		want string
	}{
		"idle":                       {state{via: record.Idle}, "192.0.2.7"},
		"another endpoint":           {state{via: record.Direct, endpoint: "192.0.2.8:1"}, "192.0.2.8"},
		"a relay known by name":      {state{via: record.Relayed, relay: record.Relay{Name: "nyc", Address: "relay.example:443"}}, ""},
		"a direct path that is mute": {state{via: record.Direct}, ""},
		"a peer inside the tunnel":   {state{via: record.PeerRelay, endpoint: "10.99.0.9"}, ""},
	} {
		w := watcher(actor{}, "wt0", "wireguard", "100.92.0.1", "100.92.0.3")
		w.underlay = func(outer netip.Addr) (record.Underlay, error) {
			dev := "eth0"
			if outer.String() == "10.99.0.9" {
				dev = "wt0"
			}
			return record.Underlay{Address: outer.String(), Device: dev}, nil
		}
		for i, s := range []state{direct, c.next, direct, c.next} {
			w.source.ask = func(context.Context, host, query) (state, error) { return s, nil }
			w.Look(t.Context(), time.Duration(i)*time.Second)
			got, want := w.Tunnel().Underlay, c.want
			if i%2 == 0 {
				want = "192.0.2.7"
			}
			if want == "" && got != nil || want != "" && (got == nil || got.Address != want) {
				t.Errorf("%s, look %d: %+v, want %q", what, i, got, want)
			}
		}
	}
}

// What an answer could not tell is forgotten once a later one tells it.
func TestDoubts(t *testing.T) {
	answers := []state{
		{unknown: []string{"which node it is"}},
		{unknown: []string{"which node it is"}},
		{via: record.Direct, endpoint: "192.0.2.7:9993", unknown: []string{"its NAT"}},
		{unknown: []string{"which node it is"}},
	}
	w := watcher(actor{}, "ztabcd1234", "tun", "10.147.17.1", "10.147.17.2")
	w.source.ask = func(context.Context, host, query) (state, error) {
		s := answers[0]
		answers = answers[1:]
		return s, nil
	}
	for i, want := range [][]string{{"which node it is"}, {"which node it is"}, {"its NAT"}, {"its NAT", "which node it is"}} {
		w.Look(t.Context(), time.Duration(i)*time.Second)
		if got := w.Tunnel().Unknown; !slices.Equal(got, want) {
			t.Errorf("after %d answers %q, want %q", i+1, got, want)
		}
	}
}

// An address of the shared range that no tunnel device leads to is nobody's
// business where no daemon knows it, and a daemon's without TUN where one does.
func TestAddressWithoutDevice(t *testing.T) {
	absent := actor{dial: func(context.Context, string) (net.Conn, error) { return nil, why(fs.ErrNotExist) }}
	w := watcher(absent, "eth0", "", "192.0.2.1", "100.101.1.2")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != none || len(got.Unknown) != 0 {
		t.Errorf("%+v", got)
	}
	w = watcher(tailscaled(t, "tailscale-1.90.9-ipnstate.Status-TUN-false.json"), "eth0", "", "192.0.2.1", "100.101.1.2")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != tailscale || got.NearTCP != record.Userspace || got.Device != "" {
		t.Errorf("%+v", got)
	}
	w = watcher(tailscaled(t, "tailscale-1.90.9-ipnstate.Status.json"), "eth0", "", "192.0.2.1", "100.101.1.2")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != none || len(got.Unknown) != 0 {
		t.Errorf("a daemon that has a device of its own: %+v", got)
	}
}

// A daemon without a TUN device that is not up knows nothing of any address.
func TestAddressOfStoppedDaemon(t *testing.T) {
	stopped := actor{dial: serve(t, tailscaleSockets[0], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"BackendState":"Stopped","TUN":false}`)
	}))}
	w := watcher(stopped, "eth0", "", "192.0.2.1", "100.101.1.2")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != none || got.NearTCP != "" || len(got.Unknown) != 0 {
		t.Errorf("%+v", got)
	}
}

// A TUN device in the shared range is another program's where tailscaled has not
// its address.
func TestDeviceOfAnother(t *testing.T) {
	h := tailscaled(t, "tailscale-1.90.9-ipnstate.Status.json")
	h.proc = fstest.MapFS{"1/comm": {Data: []byte("tailscaled\n")}}
	w := watcher(h, "CloudflareWARP", "tun", "100.96.0.3", "192.0.2.2")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != "tun" || got.Device != "CloudflareWARP" || len(got.Unknown) != 0 {
		t.Errorf("%+v", got)
	}
	w = watcher(h, "tailscale0", "tun", "192.0.2.1", "192.0.2.2") // a route with a source of its own
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != tailscale || len(got.Unknown) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestKernelTunnels(t *testing.T) {
	w := watcher(actor{}, "wg0", "wireguard", "10.0.1.1", "10.0.1.2")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); len(got.Unknown) != 1 || !strings.Contains(got.Unknown[0], "not permitted: run as root") {
		t.Errorf("%+v", got)
	}
	w = watcher(actor{}, "gre1", "gre", "10.0.1.1", "10.0.1.2")
	w.query.device.Remote = netip.MustParseAddr("192.0.2.9")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Endpoint != "192.0.2.9" || got.Carrier != record.Kernel || got.Underlay == nil || got.Underlay.Address != "192.0.2.9" || w.Every() != 0 {
		t.Errorf("%+v, %+v", got, got.Underlay)
	}
	w = watcher(actor{}, "gre1", "gre", "10.0.1.1", "10.0.1.2")
	w.query.device.Remote = netip.MustParseAddr("192.0.2.9")
	w.underlay = func(netip.Addr) (record.Underlay, error) { return record.Underlay{Device: "gre1"}, nil }
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Underlay != nil || len(got.Unknown) != 1 {
		t.Errorf("a way that leads into the tunnel itself: %+v", got)
	}
	w = watcher(actor{}, "eth0", "", "192.0.2.1", "192.0.2.2")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != none || len(got.Ways) != 0 {
		t.Errorf("%+v", got)
	}
}

// Where a program of this host takes a tunnel's packets, as wstunnel does, nothing
// is known of how they go on.
func TestCarriedByAnother(t *testing.T) {
	for endpoint, another := range map[string]bool{
		"127.0.0.1:51821": true, "[::1]:51821": true, "192.0.2.1:51821": true, "[::ffff:192.0.2.1]:51821": true, "192.0.2.8:51820": false,
	} {
		h := actor{wireguard: twoPeers()}
		h.wireguard.peers[1].endpoint = endpoint
		w := watcher(h, "wg0", "wireguard", "10.0.1.1", "10.0.1.2")
		w.underlay = func(outer netip.Addr) (record.Underlay, error) {
			return record.Underlay{Address: outer.String(), Source: "192.0.2.1"}, nil
		}
		w.Look(t.Context(), 0)
		got := w.Tunnel()
		if another && (len(got.Ways) != 0 || got.Endpoint != "" || got.Underlay != nil || len(w.Outside()) != 0 || got.OverUDP() || len(got.Unknown) != 1 || got.LastHandshake == nil) {
			t.Errorf("%s: %+v", endpoint, got)
		}
		if !another && (got.Endpoint != endpoint || !got.OverUDP()) {
			t.Errorf("%s: %+v", endpoint, got)
		}
		h.wireguard.peers[1].endpoint = "192.0.2.8:51820"
		w.Look(t.Context(), time.Second)
		if got := w.Tunnel(); got.Endpoint != "192.0.2.8:51820" || !got.OverUDP() || len(got.Unknown) != 0 {
			t.Errorf("%s, then the peer's own: %+v", endpoint, got)
		}
	}
}

func TestThisHost(t *testing.T) {
	w := Watch(record.Route{Address: "127.0.0.1", Source: "127.0.0.1", Device: "lo"})
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != none {
		t.Errorf("%+v", got)
	}
	if got := Watch(record.Route{}).Tunnel(); got.Kind != none {
		t.Errorf("without a route: %+v", got)
	}
	if u, err := underlay(netip.MustParseAddr("127.0.0.1")); err == nil && u.Source != u.Address {
		t.Errorf("the way to this host itself: %+v", u)
	}
	if _, err := underlay(netip.MustParseAddr("127.0.0.1")); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// The record says that OpenVPN runs over TCP also where its program was not asked.
func TestOpenvpnOverTCP(t *testing.T) {
	h := actor{
		proc:  fstest.MapFS{"1/comm": {Data: []byte("openvpn\n")}, "1/cmdline": {Data: []byte("openvpn\x00/etc/c.conf\x00")}},
		files: map[string]string{"/etc/c.conf": "dev tun\nremote vpn.example 443 tcp-client\n"},
	}
	w := watcher(h, "tun0", "tun", "10.8.0.2", "10.8.0.1")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Kind != openvpn || got.Transport != "tcp" || got.OverUDP() || len(got.Unknown) != 1 {
		t.Errorf("without its management interface: %+v", got)
	}
	h.files["/etc/c.conf"] += "management /run/ovpn.sock unix\n"
	h.dial = management(t, "", strings.Replace(string(fixture(t, "openvpn-2.6.12-client.txt")), ",1194,", ",443,", 1))
	w = watcher(h, "tun0", "tun", "10.8.0.2", "10.8.0.1")
	w.Look(t.Context(), 0)
	if got := w.Tunnel(); got.Transport != "tcp" || got.Endpoint != "198.51.100.4:443" || got.OverUDP() {
		t.Errorf("%+v", got)
	}
}
