package filter

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unchoke/internal/live"
)

// sockets are connections over loopback, of both families, and their flows as
// they are seen from both ends.
func sockets(t *testing.T) []live.Flow {
	t.Helper()
	var flows []live.Flow
	for _, address := range []string{"127.0.0.1:0", "127.0.0.2:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			if strings.HasPrefix(address, "[") {
				continue // no IPv6 here
			}
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		for range 3 {
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
			near, far := c.LocalAddr().(*net.TCPAddr).AddrPort(), c.RemoteAddr().(*net.TCPAddr).AddrPort()
			flows = append(
				flows,
				live.Flow{Local: near, Remote: far, State: "established"},
				live.Flow{Local: far, Remote: near, State: "established"},
			)
		}
	}
	return flows
}

// listed are those of the flows that ss lists for a filter, by their numbers.
func listed(t *testing.T, flows []live.Flow, text string) (out []int, err error) {
	t.Helper()
	list, err := exec.Command("ss", append([]string{"-tnH"}, strings.Fields(text)...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("ss %s: %w", text, err)
	}
	for line := range strings.Lines(string(list)) {
		var ends []netip.AddrPort
		for field := range strings.FieldsSeq(line) {
			if a, err := netip.ParseAddrPort(field); err == nil {
				ends = append(ends, a)
			}
		}
		for i, f := range flows {
			if len(ends) == 2 && ends[0] == f.Local && ends[1] == f.Remote {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// The same filter finds the same connections as the ss of this host.
func TestAgainstSS(t *testing.T) {
	if _, err := exec.LookPath("ss"); err != nil {
		t.Skip("no ss on this host")
	}
	flows := sockets(t)
	port := func(i int) string { return strconv.Itoa(int(flows[i].Local.Port())) }
	texts := []string{
		"", "state established", "exclude established", "state connected", "state all", "state bucket", "state big", "state synchronized", "state time-wait state established",
		"src 127.0.0.1", "src 127/8", "src 127.0/16", "dst 127.0.0.2", "dst 127.0.0.0/30", "src any", "src *", "src 0/0", "src ::/0", "src [::1]", "src [::1/128]:" + port(12),
		"dst 127.0.0.1:" + port(0), "dst :" + port(0), "src *:" + port(2), "sport " + port(0), "sport = :" + port(0), "sport eq inet:" + port(0), "sport = inet6:" + port(0),
		"src inet:*", "src inet6:*", "sport = *", "sport > ssh", "dport = http", "src ::1:" + port(12),
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		texts = append(texts, random(r, flows, 3))
	}
	split := 0
	for _, text := range texts {
		want, err := listed(t, flows, text)
		if err != nil {
			t.Error(err)
			continue
		}
		f, err := Parse(text, Names{Port: services})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []int
		for i := range flows {
			if f.Match(&flows[i]) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, ss has %v", text, got, want)
		}
		if len(want) > 0 && len(want) < len(flows) {
			split++
		}
	}
	if split < 30 {
		t.Errorf("only %d of %d filters tell connections apart", split, len(texts))
	}
}

func services(name string) (uint16, error) {
	port, err := net.LookupPort("tcp", name)
	return uint16(port), err
}

// random is a filter of ss about the flows, so many levels deep.
func random(r *rand.Rand, flows []live.Flow, depth int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	f := flows[r.IntN(len(flows))]
	local, remote := strconv.Itoa(int(f.Local.Port())), strconv.Itoa(int(f.Remote.Port()))
	if depth > 0 {
		switch r.IntN(6) {
		case 0:
			return pick("not ", "! ") + random(r, flows, depth-1)
		case 1:
			return "( " + random(r, flows, depth-1) + " )"
		case 2, 3, 4:
			return random(r, flows, depth-1) + pick(" and ", " & ", " && ", " or ", " | ", " || ", " ") + random(r, flows, depth-1)
		}
	}
	op := pick("=", "==", "eq", "!=", "ne", "neq", "<", "lt", ">", "gt", "<=", "le", "leq", ">=", "ge", "geq", "")
	switch r.IntN(4) {
	case 0:
		return "sport " + op + " " + pick("", ":") + local
	case 1:
		return "dport " + op + " " + pick("", ":") + remote
	case 2:
		return "src " + pick("", "= ") + written(f.Local, pick("", ":"+local))
	}
	return "dst " + pick("", "= ") + written(f.Remote, pick("", ":"+remote, ":*"))
}

func written(a netip.AddrPort, port string) string {
	if a.Addr().Is6() {
		return "[" + a.Addr().String() + "]" + port
	}
	return a.Addr().String() + port
}
