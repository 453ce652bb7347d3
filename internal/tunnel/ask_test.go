package tunnel

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"unchoke/internal/record"
)

// tailscaled is a host on which one serves a status, at the usual socket.
func tailscaled(t *testing.T, status string) actor {
	t.Helper()
	return actor{dial: serve(t, tailscaleSockets[0], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := map[string]string{
			"/localapi/v0/status":                    status,
			"/localapi/v0/derpmap":                   "tailscale-1.90.9-tailcfg.DERPMap.json",
			"/localapi/v0/whois?addr=100.101.1.1":    "tailscale-1.90.9-apitype.WhoIsResponse-self.json",
			"/localapi/v0/whois?addr=100.101.1.3":    "tailscale-1.32.3-apitype.WhoIsResponse-peer.json",
			"/localapi/v0/whois?addr=100.64.0.1":     "tailscale-1.102.5-apitype.WhoIsResponse-peer-userspace.json",
			"/localapi/v0/status?nothing=but-a-test": "",
		}[r.URL.String()]
		if r.Host != "local-tailscaled.sock" || name == "" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		w.Write(fixture(t, name))
	}))}
}

// serve answers on one unix socket; nobody listens on any other.
func serve(t *testing.T, socket string, handler http.Handler) func(context.Context, string) (net.Conn, error) {
	real := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", real)
	if err != nil {
		t.Skip(err)
	}
	server := &http.Server{Handler: handler}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return func(ctx context.Context, address string) (net.Conn, error) {
		if address != socket {
			return nil, why(fs.ErrNotExist)
		}
		return system{}.Dial(ctx, "unix", real)
	}
}

func TestAskTailscale(t *testing.T) {
	h := tailscaled(t, "tailscale-1.90.9-ipnstate.Status.json")
	got, err := askTailscale(t.Context(), h, to("100.101.1.1", "100.101.1.3"))
	if err != nil || got.via != record.Relayed || len(got.candidates) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.direct == nil || got.direct.HardNAT == nil || !*got.direct.HardNAT {
		t.Errorf("why no direct path: %+v", got.direct)
	}
	// The region that the map knows is another one.
	if got.relay.Name != "nyc" || got.relay.Address != "" {
		t.Errorf("relay %+v", got.relay)
	}
	h = tailscaled(t, "tailscale-1.102.5-ipnstate.Status-direct.json")
	got, err = askTailscale(t.Context(), h, to("100.64.0.2", "100.64.0.1"))
	if err != nil || got.farTCP != record.Userspace || got.via != record.Direct {
		t.Errorf("%+v, %v", got, err)
	}
}

// A daemon at another socket is found by its command line, and the one with the
// device's address answers, whichever is asked first.
func TestAskTailscaleElsewhere(t *testing.T) {
	mine := tailscaled(t, "tailscale-1.90.9-ipnstate.Status.json")
	other := tailscaled(t, "tailscale-1.102.5-ipnstate.Status-direct.json")
	h := actor{
		proc: fstest.MapFS{"1/comm": {Data: []byte("tailscaled\n")}, "1/cmdline": {Data: []byte("tailscaled\x00--socket=/run/mine.sock\x00")}},
		dial: func(ctx context.Context, address string) (net.Conn, error) {
			switch address {
			case "/run/mine.sock":
				return mine.dial(ctx, tailscaleSockets[0])
			case tailscaleSockets[0]:
				return other.dial(ctx, address)
			}
			return nil, why(fs.ErrNotExist)
		},
	}
	if got, err := askTailscale(t.Context(), h, to("100.101.1.1", "100.101.1.2")); err != nil || got.peer != "direct" {
		t.Errorf("%+v, %v", got, err)
	}
	delete(h.proc, "1/comm")
	if _, err := askTailscale(t.Context(), h, to("100.101.1.1", "100.101.1.2")); !errors.Is(err, errOtherNetwork) {
		t.Errorf("only the other daemon: %v", err)
	}
}

func TestAskTailscaleFails(t *testing.T) {
	for words, answer := range map[string]http.HandlerFunc{
		"not permitted": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) },
		"500":           func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) },
		"form":          func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
	} {
		h := actor{dial: serve(t, tailscaleSockets[0], answer)}
		if _, err := askTailscale(t.Context(), h, to("100.101.1.1", "100.101.1.3")); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
	hang := actor{dial: serve(t, tailscaleSockets[0], http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := askTailscale(ctx, hang, to("100.101.1.1", "100.101.1.3")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a daemon that hangs: %v", err)
	}
	absent := actor{dial: func(context.Context, string) (net.Conn, error) { return nil, why(fs.ErrNotExist) }}
	if _, err := askTailscale(t.Context(), absent, to("100.101.1.1", "100.101.1.3")); !errors.Is(err, errAbsent) {
		t.Errorf("no daemon: %v", err)
	}
}

func TestAskZerotier(t *testing.T) {
	h := actor{
		files: map[string]string{"/proc/net/arp": "10.147.17.2 0x1 0x2 02:a1:b2:df:36:27 * ztabcd1234\n"},
		run: func(_ context.Context, line string) ([]byte, error) {
			switch line {
			case "zerotier-cli -j listnetworks":
				return fixture(t, "zerotier-1.14.2-networkToJson.json"), nil
			case "zerotier-cli -j peers":
				return fixture(t, "zerotier-1.14.2-peerToJson.json"), nil
			}
			return nil, errors.New(line)
		},
	}
	q := to("10.147.17.1", "10.147.17.2")
	q.device.Name = "ztabcd1234"
	if got, err := askZerotier(t.Context(), h, q); err != nil || got.via != record.Direct || got.endpoint != "192.0.2.8:9993" {
		t.Errorf("%+v, %v", got, err)
	}
	q = to("10.147.17.1", "10.147.17.9")
	q.device.Name = "ztabcd1234"
	if got, err := askZerotier(t.Context(), h, q); err != nil || got.via != "" || len(got.unknown) != 1 {
		t.Errorf("a node that was never spoken to: %+v, %v", got, err)
	}
}

// management is an OpenVPN that answers each command by what its fixture has.
func management(t *testing.T, first, text string) func(context.Context, string) (net.Conn, error) {
	return func(_ context.Context, address string) (net.Conn, error) {
		if address != "/run/ovpn.sock" {
			return nil, why(fs.ErrNotExist)
		}
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			go io.WriteString(there, first)
			if in := bufio.NewScanner(there); text != "" {
				for in.Scan() && in.Text() != "quit" {
					continue
				}
				io.WriteString(there, text)
			} else {
				io.Copy(io.Discard, there)
			}
		}()
		t.Cleanup(func() { here.Close() })
		return here, nil
	}
}

func TestAskOpenvpn(t *testing.T) {
	h := actor{
		proc:  fstest.MapFS{"1/comm": {Data: []byte("openvpn\n")}, "1/cmdline": {Data: []byte("openvpn\x00--cd\x00/etc/openvpn\x00--config\x00c.conf\x00")}},
		files: map[string]string{"/etc/openvpn/c.conf": "dev tun\nproto tcp-client\nmanagement /run/ovpn.sock unix\n"},
		dial:  management(t, "", string(fixture(t, "openvpn-2.6.12-client.txt"))),
	}
	got, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1"))
	if err != nil || got.endpoint != "198.51.100.4:1194" || got.transport != "tcp" || len(got.unknown) != 1 || got.unknown[0] != tcpOverTCP {
		t.Errorf("%+v, %v", got, err)
	}
	h.dial = management(t, "", strings.Replace(string(fixture(t, "openvpn-2.7_rc6-multi_print_status.txt")), "udp4:", "tcp4-server:", 2))
	if got, err := askOpenvpn(t.Context(), h, to("10.8.0.1", "10.8.0.2")); err != nil || got.endpoint != "192.0.2.8:40000" || got.transport != "tcp" {
		t.Errorf("a server's client over TCP: %+v, %v", got, err)
	}
	h.dial = management(t, "", string(fixture(t, "openvpn-2.6.12-client.txt")))
	q := to("10.8.0.2", "10.8.0.1")
	q.device.Kind = "ovpn-dco"
	if got, err := askOpenvpn(t.Context(), h, q); err != nil || got.carrier != record.Kernel {
		t.Errorf("with OpenVPN's module: %+v, %v", got, err)
	}
	h.dial = management(t, "ENTER PASSWORD:\n", "")
	if _, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); !errors.Is(err, errForbidden) {
		t.Errorf("behind a password: %v", err)
	}
	// Another client holds the interface: nothing comes.
	h.dial = management(t, "", "")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := askOpenvpn(ctx, h, to("10.8.0.2", "10.8.0.1")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an interface that is taken: %v", err)
	}
	h.files["/etc/openvpn/c.conf"] = "dev tun\n"
	if _, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); err == nil || !strings.Contains(err.Error(), "management interface is off") {
		t.Errorf("without the interface: %v", err)
	}
	h.files["/etc/openvpn/c.conf"] = "dev tun9\n"
	if _, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); !errors.Is(err, errAbsent) {
		t.Errorf("another device's: %v", err)
	}
}

// Of several OpenVPNs the one that holds the device is asked; where that cannot
// be seen, the one with this host's address answers.
func TestAskOpenvpnAmongSeveral(t *testing.T) {
	client := string(fixture(t, "openvpn-2.6.12-client.txt"))
	answers := map[string]string{
		"/run/1.sock": strings.NewReplacer("10.8.0.2", "10.7.0.2", "198.51.100.4", "198.51.100.7").Replace(client),
		"/run/2.sock": client,
	}
	h := actor{
		proc: fstest.MapFS{
			"1/comm": {Data: []byte("openvpn\n")}, "1/cmdline": {Data: []byte("openvpn\x00/etc/1.conf\x00")},
			"2/comm": {Data: []byte("openvpn\n")}, "2/cmdline": {Data: []byte("openvpn\x00/etc/2.conf\x00")},
		},
		files: map[string]string{
			"/etc/1.conf": "dev tun\nproto tcp-client\nmanagement /run/1.sock unix\n",
			"/etc/2.conf": "dev tun\nmanagement /run/2.sock unix\n",
		},
		dial: func(ctx context.Context, address string) (net.Conn, error) {
			return management(t, "", answers[address])(ctx, "/run/ovpn.sock")
		},
	}
	if got, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); err != nil || got.endpoint != "198.51.100.4:1194" {
		t.Errorf("by the address: %+v, %v", got, err)
	}
	if got, err := askOpenvpn(t.Context(), h, to("10.6.0.2", "10.6.0.1")); !errors.Is(err, errOtherNetwork) || got.transport != "" {
		t.Errorf("neither has the address: %+v, %v", got, err)
	}
	h.proc["2/fdinfo/5"] = &fstest.MapFile{Data: []byte("iff:\ttun0\n")}
	h.files["/etc/2.conf"] = "dev-node /dev/net/tun\nmanagement /run/2.sock unix\n"
	answers["/run/1.sock"] = "it was asked"
	if got, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); err != nil || got.endpoint != "198.51.100.4:1194" {
		t.Errorf("the holder: %+v, %v", got, err)
	}
	if got, err := askOpenvpn(t.Context(), h, to("10.7.0.2", "10.8.0.1")); !errors.Is(err, errOtherNetwork) {
		t.Errorf("a holder in another network namespace: %+v, %v", got, err)
	}
	answers["/run/1.sock"] = strings.Replace(client, "10.8.0.2", "10.7.0.2", 1)
	delete(h.proc, "2/fdinfo/5")
	h.files["/etc/2.conf"] = "dev tun\n"
	got, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1"))
	if err == nil || !strings.Contains(err.Error(), "management interface is off") || got.transport != "udp" {
		t.Errorf("the one that is left cannot be asked: %+v, %v", got, err)
	}
	h.files["/etc/1.conf"] = "dev tun\nproto tcp-client\n"
	if got, _ := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); got.transport != "" {
		t.Errorf("neither can be asked, and they differ: %+v", got)
	}
}

// A program that a question would disturb is not asked, nor one whose file, which
// may say so, cannot be read.
func TestAskOpenvpnDisturbsNobody(t *testing.T) {
	h := actor{
		proc:  fstest.MapFS{"1/comm": {Data: []byte("openvpn\n")}, "1/cmdline": {Data: []byte("openvpn\x00--config\x00/etc/c.conf\x00")}},
		files: map[string]string{},
		dial: func(context.Context, string) (net.Conn, error) {
			t.Error("it was asked")
			return nil, why(fs.ErrNotExist)
		},
	}
	const config = "dev tun\nproto tcp-client\nmanagement /run/ovpn.sock unix\n"
	for _, option := range []string{"management-signal", "management-forget-disconnect", "management-client"} {
		h.files["/etc/c.conf"] = option + "\n" + config
		if got, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); err == nil || !strings.Contains(err.Error(), option) || got.transport != "tcp" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	h.files["/etc/c.conf"] = config
	h.proc["1/cmdline"].Data = append(h.proc["1/cmdline"].Data, "--management-signal\x00--verb\x003\x00"...)
	if _, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); err == nil || !strings.Contains(err.Error(), "management-signal") {
		t.Errorf("on the command line: %v", err)
	}
	h.proc["1/cmdline"].Data = []byte("openvpn\x00--config\x00/etc/c.conf\x00--management\x00/run/ovpn.sock\x00unix\x00")
	h.fail = map[string]error{"/etc/c.conf": why(fs.ErrPermission)}
	if _, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); !errors.Is(err, errForbidden) {
		t.Errorf("its file is root's: %v", err)
	}
}

// A configuration is read where the process is, as systemd's units run it, and
// what cannot be read is said.
func TestAskOpenvpnWhereItRuns(t *testing.T) {
	h := actor{
		proc:  fstest.MapFS{"7/comm": {Data: []byte("openvpn\n")}, "7/cmdline": {Data: []byte("openvpn\x00--nobind\x00--config\x00home.conf\x00")}},
		files: map[string]string{"/proc/7/cwd/home.conf": "dev tun\nmanagement /run/ovpn.sock unix\n"},
	}
	h.dial = management(t, "", string(fixture(t, "openvpn-2.6.12-client.txt")))
	got, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1"))
	if err != nil || got.endpoint != "198.51.100.4:1194" || got.transport != "udp" {
		t.Errorf("%+v, %v", got, err)
	}
	h.fail = map[string]error{"/proc/7/cwd/home.conf": why(fs.ErrPermission)}
	got, err = askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1"))
	if !errors.Is(err, errForbidden) || !strings.Contains(err.Error(), "home.conf") || got.transport != "" {
		t.Errorf("a configuration of root's: %+v, %v", got, err)
	}
	h.fail, h.files = nil, nil
	if _, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); err == nil || errors.Is(err, errAbsent) || !strings.Contains(err.Error(), "home.conf") {
		t.Errorf("a configuration that is elsewhere: %v", err)
	}
	h.proc["7/cmdline"].Data = []byte("openvpn\x00--config\x00home.conf\x00--dev\x00tun9\x00")
	if _, err := askOpenvpn(t.Context(), h, to("10.8.0.2", "10.8.0.1")); !errors.Is(err, errAbsent) {
		t.Errorf("another device's: %v", err)
	}
}

// The real edge: programs that are absent, fail, hang and forget a child.
func TestSystemRun(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs a shell: ", err)
	}
	h := system{}
	if _, err := h.Run(t.Context(), "no-such-program-of-ours"); !errors.Is(err, errAbsent) {
		t.Errorf("absent: %v", err)
	}
	if _, err := h.Run(t.Context(), "/bin/sh", "-c", "echo first >&2; echo second >&2; exit 3"); err == nil || err.Error() != "/bin/sh says: first" {
		t.Errorf("failing: %v", err)
	}
	if out, err := h.Run(t.Context(), "/bin/sh", "-c", "echo yes"); err != nil || string(out) != "yes\n" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := h.Run(t.Context(), "/bin/sh", "-c", "head -c 2000000 /dev/zero >&2"); !errors.Is(err, errTooLong) {
		t.Errorf("a program that says too much: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := h.Run(ctx, "/bin/sh", "-c", "sleep 5 & sleep 5"); err == nil {
		t.Error("a program that hangs gave no error")
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := h.ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, errAbsent) {
		t.Errorf("absent: %v", err)
	}
	if _, err := h.Dial(t.Context(), "unix", filepath.Join(t.TempDir(), "none")); !errors.Is(err, errAbsent) {
		t.Errorf("absent: %v", err)
	}
}
