package qdisc

import (
	"encoding/binary"
	"encoding/hex"
	"net"
	"strings"
	"testing"
	"time"

	"unchoke/internal/unit"
)

// golden joins the hexadecimal fields of a message, blanks and all.
func golden(t *testing.T, fields ...string) string {
	t.Helper()
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the expected bytes are little-endian")
	}
	return strings.ReplaceAll(strings.Join(fields, ""), " ", "")
}

func expect(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if h := hex.EncodeToString(got); h != want {
		t.Errorf("%s:\n got %s\nwant %s", what, h, want)
	}
}

func TestQdiscs(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("00", n) }
	for _, c := range []struct {
		name  string
		qdisc Qdisc
		kind  string
		want  string
	}{
		{"clsact", Clsact{}, "clsact", ""},
		{"fq_codel", Stock("fq_codel"), "fq_codel", ""},
		{
			"cake at 100 Mbit/s",
			Cake{Bandwidth: 100 * unit.Mbit},
			"cake",
			golden(t, "0c00 0200 20bcbe00", zeros(4)), // TCA_CAKE_BASE_RATE64
		},
		{
			"htb with one class",
			HTB{Default: 1},
			"htb",
			golden(t, "1800 0200", "03000000 0a000000 01000000", zeros(8)), // TCA_HTB_INIT: version 3
		},
		{"a queue of 1000 packets", FIFO{Packets: 1000}, "pfifo", "e8030000"},
		{"a queue of 64 KiB", FIFO{Bytes: 64 * unit.KiB}, "bfifo", "00000100"},
		{
			"100 Mbit/s through 3028 bytes, 1 MiB queued",
			TBF{Rate: 100 * unit.Mbit, Burst: 3028, Limit: unit.MiB},
			"tbf",
			golden(
				t,
				"2800 0100",            // TCA_TBF_PARMS of 40 bytes
				"03 01 0000 0000 0000", // cell_log, Ethernet, overhead, align, mpu
				"20bcbe00",             // 12,500,000 bytes a second
				zeros(12),              // no peak rate
				"00001000", zeros(4+4), // limit, buffer, mtu
				"0c00 0400 20bcbe00", zeros(4), // TCA_TBF_RATE64
				"0800 0600 d40b0000", // TCA_TBF_BURST
			),
		},
		{
			"40 Gbit/s, more than 32 bits of bytes a second",
			TBF{Rate: 40 * unit.Gbit, Burst: 3028, Limit: unit.MiB},
			"tbf",
			golden(
				t,
				"2800 0100", "03 01 0000 0000 0000", "ffffffff", zeros(12), "00001000", zeros(4+4),
				"0c00 0400 00f2052a 01000000",
				"0800 0600 d40b0000",
			),
		},
		{
			"a delay of 25 ms",
			Netem{Delay: 25 * time.Millisecond, Limit: 1000, Seed: 0x0102030405060708},
			"netem",
			golden(
				t,
				zeros(4), "e8030000", zeros(16), // latency, limit, loss, gap, duplicate, jitter
				"0c00 0a00 40787d01 00000000", // TCA_NETEM_LATENCY64
				"1400 0600", zeros(16),        // TCA_NETEM_RATE: none
				"0c00 0e00 08070605 04030201", // TCA_NETEM_PRNG_SEED
			),
		},
		{
			"a delay of 5 s, more than 32 bits of nanoseconds",
			Netem{Delay: 5 * time.Second, Limit: 1},
			"netem",
			golden(
				t,
				zeros(4), "01000000", zeros(16),
				"0c00 0a00 00f2052a 01000000",
				"1400 0600", zeros(16),
				"0c00 0e00", zeros(8),
			),
		},
		{
			"jitter from a table, at a rate, with half of all lost",
			Netem{
				Jitter: time.Millisecond, Table: []int16{-8192, 0, 8192}, Rate: 8000,
				Limit: 1, Loss: RandomLoss(0.5),
			},
			"netem",
			golden(
				t,
				zeros(4), "01000000 00000080", zeros(12),
				"0c00 0a00", zeros(8),
				"0c00 0b00 40420f00 00000000",   // TCA_NETEM_JITTER64
				"0a00 0200 00e0 0000 0020 0000", // TCA_NETEM_DELAY_DIST, padded
				"1400 0600 e8030000", zeros(12), // TCA_NETEM_RATE
				"0c00 0800 e8030000 00000000", // TCA_NETEM_RATE64
				"0c00 0e00", zeros(8),
			),
		},
		{
			// tc qdisc add … netem loss gemodel 100% 25% 75% 0%
			"bursts; h is the probability not to lose",
			Netem{Limit: 1, Loss: GilbertElliott{ToBad: 1, ToGood: 0.25, InBad: 0.75, InGood: 0}},
			"netem",
			golden(
				t,
				zeros(4), "01000000", zeros(16),
				"0c00 0a00", zeros(8),
				"1800 0500", "1400 0200", // TCA_NETEM_LOSS, NETEM_LOSS_GE
				"ffffffff", "00000040", "00000040", "00000000",
				"1400 0600", zeros(16),
				"0c00 0e00", zeros(8),
			),
		},
	} {
		if c.qdisc.Kind() != c.kind {
			t.Errorf("%s: kind %q, want %q", c.name, c.qdisc.Kind(), c.kind)
		}
		expect(t, c.name, c.qdisc.options(), c.want)
	}
}

func TestProbabilities(t *testing.T) {
	for p, want := range map[unit.Ratio]uint32{0: 0, 0.005: 21474836, 1: 1<<32 - 1, 2: 1<<32 - 1, -1: 0} {
		if got := probability(p); got != want {
			t.Errorf("probability %v is %d, want %d", float64(p), got, want)
		}
	}
}

func TestHTBClass(t *testing.T) {
	c := HTBClass{Rate: 10 * unit.Mbit, Burst: 3028, Quantum: 1514}
	const rate = "03 01 0000 0000 0000 d0121300" // 1,250,000 bytes a second
	expect(t, "a class of 10 Mbit/s", c.options(), golden(
		t,
		"3000 0100", rate, rate, // TCA_HTB_PARMS: rate and ceiling
		"da930000 da930000",          // 2.4224 ms each, in ticks of 64 ns
		"ea050000 00000000 00000000", // quantum, level, priority
		"0c00 0600 d0121300 00000000", "0c00 0700 d0121300 00000000",
	))
}

func TestProtocols(t *testing.T) {
	for f, want := range map[Filter]uint16{All{}: 3, Unicast{}: 3, UDP{}: 0x0800, UDP{V6: true}: 0x86dd} {
		if got := f.protocol(); got != want {
			t.Errorf("%T %+v is asked for protocol %#x, want %#x", f, f, got, want)
		}
	}
}

func TestFilters(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("00", n) }
	for _, c := range []struct {
		name   string
		filter Filter
		kind   string
		want   string
	}{
		{
			"unicast to device 7",
			Unicast{Redirect{Dev: 7}},
			"u32",
			golden(
				t,
				"2400 0500",              // TCA_U32_SEL
				"01 00 01 00", zeros(12), // terminal, one key
				"00000100 00000000 f0ffffff", zeros(4), // mask and value of the word 16 bytes before
				"3800 0700 3400 0100",                               // TCA_U32_ACT, the first
				"0b00 0100 6d6972726564 00 00",                      // mirred
				"2400 0200 2000 0200",                               // options, TCA_MIRRED_PARMS
				zeros(8), "04000000", zeros(8), "01000000 07000000", // stolen; redirect to the egress of 7
			),
		},
		{
			"one host to device 7",
			To{net.HardwareAddr{2, 0, 0, 0, 0, 3}, Redirect{Dev: 7}},
			"u32",
			golden(
				t,
				"2400 0500", "01 00 01 00", zeros(12),
				"ffffffff 00000003 f4ffffff", zeros(4), // the last four bytes of the address, 12 before
				"3800 0700 3400 0100", "0b00 0100 6d6972726564 00 00", // as above
				"2400 0200 2000 0200", zeros(8), "04000000", zeros(8), "01000000 07000000",
			),
		},
		{
			"unicast UDP over IPv4 to device 7",
			UDP{Do: Redirect{Dev: 7}},
			"u32",
			golden(
				t,
				"3400 0500", "01 00 02 00", zeros(12),
				"00000100 00000000 f0ffffff", zeros(4),
				"00ff0000 00110000 08000000", zeros(4), // the byte 9 is 17
				"3800 0700 3400 0100", "0b00 0100 6d6972726564 00 00", // as above
				"2400 0200 2000 0200", zeros(8), "04000000", zeros(8), "01000000 07000000",
			),
		},
		{
			"unicast UDP over IPv6 to device 7",
			UDP{V6: true, Do: Redirect{Dev: 7}},
			"u32",
			golden(
				t,
				"3400 0500", "01 00 02 00", zeros(12),
				"00000100 00000000 f0ffffff", zeros(4),
				"0000ff00 00001100 04000000", zeros(4), // the byte 6 is 17
				"3800 0700 3400 0100", "0b00 0100 6d6972726564 00 00", // as above
				"2400 0200 2000 0200", zeros(8), "04000000", zeros(8), "01000000 07000000",
			),
		},
		{
			"frames of at most 1414 bytes",
			All{Police{Largest: 1414}},
			"matchall",
			golden(
				t,
				"5c00 0200 5800 0100", "0b00 0100 706f6c696365 00 00",
				"4800 0200", "3c00 0100",
				zeros(4), "02000000", zeros(8), "86050000", zeros(36), // drop; no rate
				"0800 0500 00000000",
			),
		},
		{
			"10 Mbit/s with 50 KiB at once",
			All{Police{Rate: 10 * unit.Mbit, Burst: 50 * unit.KiB}},
			"matchall",
			golden(
				t,
				"6c04 0200 6804 0100",
				"0b00 0100 706f6c696365 00 00",
				"5804 0200",
				"3c00 0100",                    // TCA_POLICE_TBF
				zeros(4), "02000000", zeros(4), // drop what exceeds
				"00c40900", // 40.96 ms in ticks of 64 ns
				"00000100", "03 01 0000 0000 0000 d0121300", zeros(12), zeros(12),
				"0c00 0800 d0121300 00000000", // TCA_POLICE_RATE64
				"0404 0200", zeros(1024),      // TCA_POLICE_RATE
				"0800 0500 00000000", // TCA_POLICE_RESULT: what conforms passes
			),
		},
	} {
		if c.filter.Kind() != c.kind {
			t.Errorf("%s: kind %q, want %q", c.name, c.filter.Kind(), c.kind)
		}
		expect(t, c.name, c.filter.options(), c.want)
	}
}

func TestHandles(t *testing.T) {
	if got := MakeHandle(1, 2); got != 0x10002 {
		t.Errorf("1:2 is %#x", uint32(got))
	}
	if got := MakeHandle(0xffff, 0); got != ClsactHandle {
		t.Errorf("ffff: is %#x", uint32(got))
	}
}
