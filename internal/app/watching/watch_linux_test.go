package watching

import (
	"net"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// halfClosed are connections over loopback: two that are open, one that this end
// has closed for writing, and its peer.
func halfClosed(t *testing.T) (ends []netip.AddrPort) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	for i := range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		a, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.Close() })
		if i == 2 {
			if err := c.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
		}
		ends = append(ends, c.LocalAddr().(*net.TCPAddr).AddrPort())
	}
	return append(ends, l.Addr().(*net.TCPAddr).AddrPort())
}

// A watch with a filter shows the connections that the ss of this host lists for
// it, in whatever state.
func TestWatchAgainstSS(t *testing.T) {
	if _, err := exec.LookPath("ss"); err != nil {
		t.Skip("no ss on this host")
	}
	ends := halfClosed(t)
	ours := func(local, remote string) bool {
		known := func(s string) bool {
			return slices.ContainsFunc(ends, func(a netip.AddrPort) bool { return a.String() == s })
		}
		return known(local) && known(remote)
	}
	seen := 0
	for _, text := range []string{
		"", "state established", "state close-wait", "state fin-wait-2", "exclude established", "state connected", "state synchronized", "state close-wait state established",
		"state established sport = " + ends[0].String()[strings.LastIndex(ends[0].String(), ":"):], "dst 127.0.0.1:" + ends[3].String()[len("127.0.0.1:"):], "not src 127.0.0.0/8",
	} {
		f, err := ParseFilter(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		src, closer, err := Watch(t.Context(), Request{Interval: 100 * time.Millisecond, Filter: f})
		if err != nil {
			t.Fatal(err)
		}
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := closer(); err != nil {
			t.Error(err)
		}
		var got, want []string
		for i := range s.Flows {
			if f := &s.Flows[i]; !f.Closed && ours(f.Local.String(), f.Remote.String()) {
				got = append(got, f.Local.String()+" "+f.Remote.String())
				if f.Verdict == "" {
					t.Errorf("%v has no verdict", f.Remote)
				}
			}
		}
		list, err := exec.Command("ss", append([]string{"-tnH"}, strings.Fields(text)...)...).Output()
		if err != nil {
			t.Fatalf("ss %s: %v", text, err)
		}
		for line := range strings.Lines(string(list)) {
			var pair []string
			for field := range strings.FieldsSeq(line) {
				if _, err := netip.ParseAddrPort(field); err == nil {
					pair = append(pair, field)
				}
			}
			if len(pair) == 2 && ours(pair[0], pair[1]) {
				want = append(want, pair[0]+" "+pair[1])
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, ss has %q", text, got, want)
		}
		seen += len(want)
	}
	if seen < 20 {
		t.Errorf("%d connections in all", seen)
	}
}
