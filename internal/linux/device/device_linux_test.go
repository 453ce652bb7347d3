package device

import (
	"bytes"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// fixture reads a message as the kernel (6.12 and 6.18) sent it.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(string(bytes.Join(bytes.Fields(text), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParseDevice(t *testing.T) {
	for name, want := range map[string]Device{
		"lo":   {Index: 1, Name: "lo", Kind: "loopback", MTU: 65536, TxQueues: 1, Up: true},
		"wg0":  {Index: 12, Name: "wg0", Kind: "wireguard", MTU: 1420, TxQueues: 1, Up: true},
		"gre1": {Index: 13, Name: "gre1", Kind: "gre", MTU: 1476, TxQueues: 1},
		"g6":   {Index: 14, Name: "g6", Kind: "ip6gre", MTU: 1448, TxQueues: 1},
		"vb":   {Index: 15, Name: "vb", Kind: "veth", MTU: 1500, TxQueues: 1, Up: true, Lower: 16},
		"tun9": {Index: 4, Name: "tun9", Kind: "tun", MTU: 1500, TxQueues: 1},
	} {
		got, err := parseDevice(fixture(t, "link-"+name))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

func TestParseQdisc(t *testing.T) {
	for name, want := range map[string]struct {
		owner                int
		kind, handle, parent string
	}{
		"noqueue":  {12, "noqueue", "0:", "root"},
		"htb":      {15, "htb", "1:", "root"},
		"fq_codel": {15, "fq_codel", "8001:", "1:1"},
	} {
		owner, q, err := parseQdisc(fixture(t, "qdisc-"+name))
		if err != nil || owner != want.owner || q.Kind != want.kind ||
			q.Handle.String() != want.handle || q.Parent.String() != want.parent {
			t.Errorf("%s: of %d, %s %s parent %s, %v", name, owner, q.Kind, q.Handle, q.Parent, err)
		}
	}
}

func TestHandleString(t *testing.T) {
	if got := Handle(3).String(); got != ":3" {
		t.Errorf("class 3 of an mq without handle: %q", got)
	}
}

// Cut anywhere, a message parses to a prefix of its attributes or fails; it is
// never misread.
func TestTruncated(t *testing.T) {
	link, qdisc := fixture(t, "link-wg0"), fixture(t, "qdisc-htb")
	for n := range link {
		if d, err := parseDevice(link[:n]); err == nil && d.Kind != "" && d.Kind != "wireguard" {
			t.Errorf("cut to %d bytes: %+v", n, d)
		}
	}
	for n := range qdisc {
		if _, q, err := parseQdisc(qdisc[:n]); err == nil && q.Kind != "" && q.Kind != "htb" {
			t.Errorf("cut to %d bytes: %+v", n, q)
		}
	}
	for _, n := range []int{0, 15} {
		if _, err := parseDevice(link[:n]); err == nil {
			t.Errorf("device of %d bytes accepted", n)
		}
		if _, _, err := parseQdisc(qdisc[:n]); err == nil {
			t.Errorf("qdisc of %d bytes accepted", n)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(fixture(f, "link-wg0"))
	f.Add(fixture(f, "qdisc-htb"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		parseDevice(b)
		parseQdisc(b)
	})
}

func TestLoopback(t *testing.T) {
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Skip(err)
	}
	d, err := ByIndex(lo.Index)
	if err != nil || d.Name != "lo" || d.Kind != "loopback" || d.MTU != lo.MTU {
		t.Errorf("%+v, %v", d, err)
	}
	qdiscs, err := Qdiscs(lo.Index)
	if err != nil || len(qdiscs) == 0 || qdiscs[0].Parent != Root {
		t.Errorf("%+v, %v", qdiscs, err)
	}
	if _, err := ByIndex(1 << 30); err == nil {
		t.Error("a device that does not exist was found")
	}
}
