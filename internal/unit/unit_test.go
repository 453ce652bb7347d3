package unit

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseBitRate(t *testing.T) {
	for in, want := range map[string]BitRate{
		"500mbit": 500 * Mbit, "1.5gbit": 1500 * Mbit, "1Gbit/s": Gbit, "100Mbps": 100 * Mbit,
		"10MiB/s": 10 * 8 << 20, "1MB/s": 8 * Mbit, "56kbit": 56 * Kbit, "9600bit": 9600, "3B/s": 24, "0bit": 0,
	} {
		if got, err := ParseBitRate(in); err != nil || got != want {
			t.Errorf("ParseBitRate(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]Size{
		"64KiB": 64 * KiB, "1500": 1500, "1500B": 1500, "2MB": 2e6, "1.5MiB": 3 * MiB / 2, "1gib": GiB, "0": 0,
	} {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
}

func TestParseRatio(t *testing.T) {
	for in, want := range map[string]Ratio{"0.5%": 0.005, "0.005": 0.005, "0": 0, "100%": 1, "250%": 2.5} {
		if got, err := ParseRatio(in); err != nil || math.Abs(float64(got-want)) > 1e-15 {
			t.Errorf("ParseRatio(%q) = %v, %v, want %v", in, float64(got), err, float64(want))
		}
	}
}

// An error quotes what was given and shows what would have been right.
func TestParseErrors(t *testing.T) {
	for _, in := range []string{"", "mbit", "-1mbit", "1e3mbit", "NaNmbit", "1..2mbit", "100", "5 mbit", "1furlong"} {
		if v, err := ParseBitRate(in); err == nil || !strings.Contains(err.Error(), "examples: 500mbit") {
			t.Errorf("ParseBitRate(%q) = %v, %v, want an error with examples", in, v, err)
		}
	}
	for _, in := range []string{"", "KiB", "-1", "1e3", "12XB", "0x10"} {
		if v, err := ParseSize(in); err == nil || !strings.Contains(err.Error(), "examples: 64KiB") {
			t.Errorf("ParseSize(%q) = %v, %v, want an error with examples", in, v, err)
		}
	}
	for _, in := range []string{"", "%", "-1%", "1e-3", "half"} {
		if v, err := ParseRatio(in); err == nil || !strings.Contains(err.Error(), "examples: 0.5%") {
			t.Errorf("ParseRatio(%q) = %v, %v, want an error with examples", in, v, err)
		}
	}
	if _, err := ParseBitRate("99999999999gbit"); !errors.Is(err, ErrRange) {
		t.Errorf("a rate past 2^53 gives %v, want %v", err, ErrRange)
	}
}

// Printing and parsing are inverse.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		n := random.Int64N(1<<53) >> random.IntN(53)
		if n%2 == 0 {
			n = n / 1e6 * 1e6 // prints in a larger unit
		}
		if got, err := ParseBitRate(BitRate(n).String()); err != nil || got != BitRate(n) {
			t.Fatalf("%d bit/s prints as %v and parses as %d, %v", n, BitRate(n), int64(got), err)
		}
		if got, err := ParseSize(Size(n).String()); err != nil || got != Size(n) {
			t.Fatalf("%d B prints as %v and parses as %d, %v", n, Size(n), int64(got), err)
		}
		r := Ratio(random.Float64() * math.Pow(10, float64(random.IntN(12)-9)))
		if got, err := ParseRatio(r.String()); err != nil || got != r {
			t.Fatalf("%v prints as %v and parses as %v, %v", float64(r), r, float64(got), err)
		}
	}
}

func TestHuman(t *testing.T) {
	for want, got := range map[string]string{
		"93.4 Mbit/s": BitRate(93_400_000).Human(),
		"5.21 Mbit/s": BitRate(5_210_000).Human(),
		"640 Mbit/s":  BitRate(640_000_000).Human(),
		"1.00 Gbit/s": BitRate(999_999_999).Human(),
		"0 bit/s":     BitRate(0).Human(),
		"4.20 MiB":    Size(4_404_019).Human(),
		"208 KiB":     Size(212_992).Human(),
		"64 KiB":      Size(64 << 10).Human(),
		"50 Mbit/s":   BitRate(50e6).Human(),
		"5.00 Mbit/s": HumanRate(5e6),
		"0.250 bit/s": HumanRate(0.25),
		"1.50 KiB":    HumanSize(1536),
		"402 µs":      HumanTime(0.000402),
		"465 ns":      HumanTime(465e-9),
		"50.2 ms":     HumanTime(0.0502),
		"-1.50 s":     HumanTime(-1.5),
		"0 s":         HumanTime(1e-13),
		"50 ms":       ExactTime(0.05),
		"8.33 ms":     ExactTime(0.00833),
		"0.5%":        Ratio(0.005).String(),
		"0.001%":      Ratio(0.00001).String(),
		"0%":          Ratio(0).String(),
		"100%":        Ratio(1).String(),
		"0.5 %":       Ratio(0.005).Human(),
		"33.3 %":      Ratio(1.0 / 3).Human(),
	} {
		if got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"500mbit", "1.5GiB", "0.5%", "10MiB/s", ".", "1.e", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseBitRate(s); err == nil {
			if back, err := ParseBitRate(v.String()); err != nil || back != v {
				t.Errorf("rate %q: %v parses back as %v, %v", s, v, back, err)
			}
		}
		if v, err := ParseSize(s); err == nil {
			if back, err := ParseSize(v.String()); err != nil || back != v {
				t.Errorf("size %q: %v parses back as %v, %v", s, v, back, err)
			}
		}
		if v, err := ParseRatio(s); err == nil {
			if back, err := ParseRatio(v.String()); err != nil || back != v {
				t.Errorf("ratio %q: %v parses back as %v, %v", s, float64(v), float64(back), err)
			}
		}
	})
}
