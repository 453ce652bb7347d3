package tcpinfo

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// fixture reads a structure captured from a little-endian machine.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	if !littleEndian {
		t.Skip("the fixtures are of a little-endian machine")
	}
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A sender whose receiver is slow, Linux 6.18, BBR.
func TestParseSender(t *testing.T) {
	i, err := Parse(fixture(t, "sender-6.18.hex"))
	if err != nil {
		t.Fatal(err)
	}
	if i.Length != 280 || i.State != Established || !i.Has(FieldAccECN) {
		t.Errorf("length %d, state %v", i.Length, i.State)
	}
	if i.Options&(OptTimestamps|OptSACK|OptWscale) != OptTimestamps|OptSACK|OptWscale {
		t.Errorf("options %v", i.Options)
	}
	// What `ss -ti` printed at the same moment.
	type facts struct {
		sndWscale, rcvWscale                 uint8
		rto, rtt, rttvar, minRTT, busy, rwnd time.Duration
		mss, pmtu, advMSS, cwnd, ssthresh    uint32
		sent, acked                          uint64
		segsOut, segsIn, dataSegsOut         uint32
		pacing, delivery                     uint64
		delivered, reordering, sndWnd        uint32
	}
	got := facts{
		i.SndWscale, i.RcvWscale,
		i.RTO, i.RTT, i.RTTVar, i.MinRTT, i.BusyTime.Truncate(time.Millisecond), i.RwndLimited.Truncate(time.Millisecond),
		i.SndMSS, i.PMTU, i.AdvMSS, i.SndCwnd, i.SndSsthresh,
		i.BytesSent, i.BytesAcked,
		i.SegsOut, i.SegsIn, i.DataSegsOut,
		i.PacingRate, i.DeliveryRate,
		i.Delivered, i.Reordering, i.SndWnd,
	}
	want := facts{
		10, 10,
		204 * time.Millisecond, 837 * time.Microsecond, 472 * time.Microsecond, 25 * time.Microsecond, 512 * time.Millisecond, 448 * time.Millisecond,
		47616, 65535, 65483, 12, 8,
		20_000_000, 20_000_001,
		424, 422, 422,
		1671606600, 1265541528,
		423, 300, 95232,
	}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// load reads a number of the kernel's.
func load(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	default:
		return binary.NativeEndian.Uint64(b)
	}
}

// Each of the structure's members, told apart by its bytes.
func TestParseEveryField(t *testing.T) {
	b := make([]byte, 300)
	for n := range b {
		b[n] = byte(n)
	}
	i, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	last := Field(0)
	for _, m := range members {
		if m.field <= last || int(m.field)-m.size < int(last) {
			t.Errorf("%s ends at %d and has %d bytes, but %d are taken", m.key, m.field, m.size, last)
		}
		last = m.field
		raw := load(b[int(m.field)-m.size : m.field])
		var got uint64
		switch v := reflect.ValueOf(m.at(&i)).Elem(); {
		case v.Kind() == reflect.Int64: // a time
			got = uint64(v.Int()) / uint64(m.scale.unit())
			raw = min(raw, uint64(math.MaxInt64/m.scale.unit()))
		default:
			got = v.Uint()
			if m.scale == bytesPerSec {
				raw = bits(raw)
			}
		}
		if got != raw {
			t.Errorf("%s: %d, want %d", m.key, got, raw)
		}
	}
	if last != FieldAccECN {
		t.Errorf("the last field ends at %d", last)
	}
}

func TestBitFields(t *testing.T) {
	if !littleEndian {
		t.Skip("written for a little-endian machine")
	}
	b := make([]byte, MinLength)
	b[5], b[6], b[7] = 0x47, 0xa7, 0x05
	i, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if i.SndWscale != 7 || i.RcvWscale != 10 || !i.AppLimited || i.FastOpenFail != 2 || i.Options.String() != "timestamps,sack,wscale,usec-ts" {
		t.Errorf("%+v", i)
	}
}

// At every length that a kernel ever gave, and at all others, what was not
// given is absent and not zero.
func TestParseTruncated(t *testing.T) {
	whole := fixture(t, "sender-6.18.hex")
	full, err := Parse(whole)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		i, err := Parse(whole[:n])
		if (err != nil) != (n < MinLength) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if err != nil {
			continue
		}
		doc, err := json.Marshal(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			present := strings.Contains(string(doc), `"`+m.key+`":`)
			if i.Has(m.field) != (n >= int(m.field)) || present && !i.Has(m.field) {
				t.Errorf("%d bytes: has %s: %v, in JSON: %v", n, m.key, i.Has(m.field), present)
			}
			if i.Has(m.field) && !reflect.DeepEqual(reflect.ValueOf(m.at(&i)).Elem().Interface(), reflect.ValueOf(m.at(&full)).Elem().Interface()) {
				t.Errorf("%d bytes: %s differs", n, m.key)
			}
			if !i.Has(m.field) && !reflect.ValueOf(m.at(&i)).Elem().IsZero() {
				t.Errorf("%d bytes: %s is not there, and is not zero", n, m.key)
			}
		}
	}
}

func TestJSON(t *testing.T) {
	i := Info{Length: int(FieldMaxPacingRate), State: Established, CAState: CARecovery, Options: OptSACK, RTT: 50123 * time.Microsecond, PacingRate: 8e9, MaxPacingRate: Unlimited}
	doc, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"rtt_s":0.050123`, `"pacing_rate_bps":8000000000`, `"state":"established"`, `"ca_state":"recovery"`, `"options":"sack"`} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("%s is not in %s", want, doc)
		}
	}
	if strings.Contains(string(doc), "max_pacing") || strings.Contains(string(doc), "min_rtt") {
		t.Errorf("an absent field is in %s", doc)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(make([]byte, MinLength))
	f.Add([]byte(strings.Repeat("\xff", 300)))
	f.Fuzz(func(t *testing.T, b []byte) {
		i, err := Parse(b)
		if err != nil {
			return
		}
		doc, err := json.Marshal(i)
		if err != nil {
			t.Fatal(err)
		}
		var again Info
		if err := json.Unmarshal(doc, &again); err != nil {
			t.Fatalf("%v: %s", err, doc)
		}
		// A count of microseconds is exact in JSON up to 2^53.
		if again != i && i.BusyTime < 1<<53*time.Microsecond && i.RwndLimited < 1<<53*time.Microsecond && i.SndbufLimited < 1<<53*time.Microsecond {
			t.Errorf("%+v\nbecame %+v", i, again)
		}
	})
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"length_bytes":104,"rtt_s":1e300,"state":"nosuch"}`))
	f.Add([]byte(`{ "later" : {"a":["}\",",{}]} , "length_bytes" : 104, "rtt_s":0.05}`))
	f.Add([]byte(`{"length_bytes`))
	f.Add([]byte(" {} "))
	f.Add([]byte(" null "))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var i, direct Info
		err := json.Unmarshal(doc, &i)
		if known := direct.UnmarshalJSON(doc); err == nil && (known != nil || direct != i) {
			t.Errorf("%+v, and %+v, %v, of %s", i, direct, known, doc)
		}
	})
}

// What an object has beside its members, and how it is spaced, changes nothing; what is
// no object is no Info.
func TestUnmarshalJSON(t *testing.T) {
	var i Info
	err := json.Unmarshal([]byte("{ \"later\" : {\"rtt_s\":[\"}\\\",\",{}]} ,\n\"rtt_s\":0.05, \"state\" : \"established\",\"length_bytes\" : 104 }"), &i)
	if want := (Info{Length: 104, RTT: 50 * time.Millisecond, State: Established}); err != nil || i != want {
		t.Errorf("%+v, %v", i, err)
	}
	for _, doc := range []string{`[]`, `"{"`, `7`, `{"length_bytes":"104"}`, `{"length_bytes":104,"rtt_s":{}}`, `{"length_bytes":104,"state":7}`} {
		if err := json.Unmarshal([]byte(doc), &i); err == nil {
			t.Errorf("%s is read: %+v", doc, i)
		}
	}
	if err := json.Unmarshal([]byte(`null`), &i); err != nil || i != (Info{}) {
		t.Errorf("null: %+v, %v", i, err)
	}
}

func TestParseCC(t *testing.T) {
	put := func(v ...uint32) (b []byte) {
		for _, v := range v {
			b = binary.NativeEndian.AppendUint32(b, v)
		}
		return b
	}
	bbr := put(1_250_000, 1, 50_000, 739, 512)
	v3 := append(append(append([]byte(nil), bbr...), put(0, 0, 0, 0)...), 0, 0, 0, 3, 0, 0, 0, 0)
	for _, c := range []struct {
		name string
		b    []byte
		want CC
	}{
		{"bbr", bbr, CC{BBR: &BBR{Bandwidth: 8 * (1<<32 + 1_250_000), MinRTT: 50 * time.Millisecond, PacingGain: 739. / 256, CwndGain: 2}}},
		{"bbr", v3, CC{BBR: &BBR{Bandwidth: 8 * (1<<32 + 1_250_000), MinRTT: 50 * time.Millisecond, PacingGain: 739. / 256, CwndGain: 2, Version: 3}}},
		{"vegas", put(1, 5, 2000, 1000), CC{Vegas: &Vegas{true, 5, 2 * time.Millisecond, time.Millisecond}}},
		{"dctcp", append(binary.NativeEndian.AppendUint16(binary.NativeEndian.AppendUint16(nil, 1), 1), put(512, 7, 8)...), CC{DCTCP: &DCTCP{true, 1, 0.5, 7, 8}}},
		{"cubic", nil, CC{}},
		{"reno", put(1, 2, 3, 4, 5), CC{}},
	} {
		if got, err := ParseCC(c.name, c.b); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	for name, b := range map[string][]byte{"bbr": bbr[:19], "vegas": bbr[:15], "dctcp": bbr[:15]} {
		if got, err := ParseCC(name, b); err == nil {
			t.Errorf("%s of %d bytes: %+v", name, len(b), got)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	raw := fixture(b, "sender-6.18.hex")
	for b.Loop() {
		if _, err := Parse(raw); err != nil {
			b.Fatal(err)
		}
	}
}
