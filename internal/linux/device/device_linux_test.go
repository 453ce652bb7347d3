package device

import (
	"encoding/binary"
	"net"
	"net/netip"
	"testing"

	"unchoke/internal/linux/messagetest"

	"golang.org/x/sys/unix"
)

func TestParseDevice(t *testing.T) {
	for name, want := range map[string]Device{
		"lo":   {Index: 1, Name: "lo", Kind: "loopback", MTU: 65536, TxQueues: 1, Up: true},
		"wg0":  {Index: 12, Name: "wg0", Kind: "wireguard", MTU: 1420, TxQueues: 1, Up: true},
		"gre1": {Index: 13, Name: "gre1", Kind: "gre", MTU: 1476, TxQueues: 1, Remote: netip.MustParseAddr("10.1.1.1")},
		"g6":   {Index: 14, Name: "g6", Kind: "ip6gre", MTU: 1448, TxQueues: 1, Remote: netip.MustParseAddr("fd::1")},
		"vb":   {Index: 15, Name: "vb", Kind: "veth", MTU: 1500, TxQueues: 1, Up: true, Lower: 16},
		"tun9": {Index: 4, Name: "tun9", Kind: "tun", MTU: 1500, TxQueues: 1},
	} {
		got, err := parseDevice(messagetest.Read(t, "link-"+name))
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
		owner, q, err := parseQdisc(messagetest.Read(t, "qdisc-"+name))
		if err != nil || owner != want.owner || q.Kind != want.kind ||
			q.Handle.String() != want.handle || q.Parent.String() != want.parent {
			t.Errorf("%s: of %d, %s %s parent %s, %v", name, owner, q.Kind, q.Handle, q.Parent, err)
		}
	}
}

func TestParseStats(t *testing.T) {
	for name, want := range map[string]Stats{
		"noqueue":  {Device: 12, Qdisc: Qdisc{"noqueue", 0, Root}},
		"htb":      {Device: 15, Qdisc: Qdisc{"htb", 0x1_0000, Root}},
		"fq_codel": {Device: 15, Qdisc: Qdisc{"fq_codel", 0x8001_0000, 0x1_0001}},
	} {
		got, err := parseStats(messagetest.Read(t, "qdisc-"+name))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// The counters of loopback's namespace are those that tc -s qdisc shows: here,
// of an htb after 57 packets of which three were dropped.
func TestParseCounters(t *testing.T) {
	message := make([]byte, tcMsgSize)
	attr := func(typ uint16, data []byte) []byte {
		b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(data)))
		b = binary.NativeEndian.AppendUint16(b, typ)
		return append(append(b, data...), make([]byte, -len(data)&3)...)
	}
	basic := binary.NativeEndian.AppendUint64(nil, 80_000)
	basic = append(binary.NativeEndian.AppendUint32(basic, 57), 0, 0, 0, 0)
	var queue []byte
	for _, v := range []uint32{2, 3028, 3, 0, 9} {
		queue = binary.NativeEndian.AppendUint32(queue, v)
	}
	message = append(message, attr(unix.TCA_KIND, []byte("htb\x00"))...)
	message = append(message, attr(unix.TCA_STATS2, append(attr(statsBasic, basic), attr(statsQueue, queue)...))...)
	want := Stats{Qdisc: Qdisc{Kind: "htb"}, Bytes: 80_000, Packets: 57, Backlog: 3028, Drops: 3, Overlimits: 9}
	if got, err := parseStats(message); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for n := range message {
		if got, err := parseStats(message[:n]); err == nil && got.Bytes != 0 && got.Packets != want.Packets {
			t.Errorf("%d of %d bytes: %+v without an error", n, len(message), got)
		}
	}
	short := append(make([]byte, tcMsgSize), attr(unix.TCA_STATS2, attr(statsQueue, queue[:16]))...)
	if _, err := parseStats(short); err == nil {
		t.Error("counters that are cut short are taken")
	}
}

func FuzzStats(f *testing.F) {
	for _, name := range []string{"noqueue", "htb", "fq_codel"} {
		f.Add(messagetest.Read(f, "qdisc-"+name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = parseStats(b)
	})
}

func TestHandleString(t *testing.T) {
	if got := Handle(3).String(); got != ":3" {
		t.Errorf("class 3 of an mq without handle: %q", got)
	}
}

// Cut anywhere, a message parses to a prefix of its attributes or fails; it is
// never misread.
func TestTruncated(t *testing.T) {
	link, qdisc := messagetest.Read(t, "link-wg0"), messagetest.Read(t, "qdisc-htb")
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
	f.Add(messagetest.Read(f, "link-wg0"))
	f.Add(messagetest.Read(f, "qdisc-htb"))
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
