package tcpinfo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// MarshalJSON writes the fields that the kernel gave, times in seconds and
// rates in bits per second, and loses nothing: UnmarshalJSON restores the
// Info exactly. A rate that is Unlimited is left out.
func (i Info) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"length_bytes":%d`, i.Length)
	if i.System != Linux {
		fmt.Fprintf(&b, `,"system":%q`, i.System)
	}
	// What is Linux's alone is there without Length as well: an Info of nothing has
	// always had it.
	if i.System == Linux || i.Has(FieldWindowScale) {
		fmt.Fprintf(&b, `,"snd_wscale":%d,"rcv_wscale":%d`, i.SndWscale, i.RcvWscale)
	}
	if i.System == Linux || i.Has(FieldAppLimited) {
		fmt.Fprintf(&b, `,"app_limited":%t,"fastopen_fail":%d`, i.AppLimited, i.FastOpenFail)
	}
	for _, m := range members {
		if !i.Has(m.field) {
			continue
		}
		text, ok := format(m.at(&i), m.scale)
		if ok {
			fmt.Fprintf(&b, `,%q:%s`, m.key, text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func format(at any, s scale) (text string, ok bool) {
	switch p := at.(type) {
	case *State:
		return strconv.Quote(p.String()), true
	case *CAState:
		return strconv.Quote(p.String()), true
	case *Options:
		return strconv.Quote(p.String()), true
	case *time.Duration:
		// float64 holds a count of microseconds exactly up to 2^53, 285 years.
		return strconv.FormatFloat(float64(*p/s.unit())/float64(time.Second/s.unit()), 'f', -1, 64), true
	case *uint8:
		return strconv.FormatUint(uint64(*p), 10), true
	case *uint16:
		return strconv.FormatUint(uint64(*p), 10), true
	case *uint32:
		return strconv.FormatUint(uint64(*p), 10), true
	case *uint64:
		return strconv.FormatUint(*p, 10), s != bytesPerSec || *p != Unlimited
	}
	panic(fmt.Sprintf("tcpinfo: a member is a %T", at))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (i *Info) UnmarshalJSON(b []byte) error {
	var bitFields struct {
		System       System `json:"system"`
		Length       int    `json:"length_bytes"`
		SndWscale    uint8  `json:"snd_wscale"`
		RcvWscale    uint8  `json:"rcv_wscale"`
		AppLimited   bool   `json:"app_limited"`
		FastOpenFail uint8  `json:"fastopen_fail"`
	}
	if err := json.Unmarshal(b, &bitFields); err != nil {
		return fmt.Errorf("decode tcp_info: %w", err)
	}
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(b, &texts); err != nil {
		return fmt.Errorf("decode tcp_info: %w", err)
	}
	*i = Info{
		System: bitFields.System, Length: bitFields.Length, SndWscale: bitFields.SndWscale, RcvWscale: bitFields.RcvWscale,
		AppLimited: bitFields.AppLimited, FastOpenFail: bitFields.FastOpenFail,
	}
	for _, m := range members {
		if !i.Has(m.field) {
			continue
		}
		if err := scan(m.at(i), texts[m.key], m.scale); err != nil {
			return fmt.Errorf("decode tcp_info: %s: %w", m.key, err)
		}
	}
	return nil
}

func scan(at any, text json.RawMessage, s scale) error {
	switch p := at.(type) {
	case *time.Duration:
		var seconds float64
		if text == nil {
			return nil
		}
		if err := json.Unmarshal(text, &seconds); err != nil {
			return err
		}
		ticks := math.Round(seconds * float64(time.Second/s.unit()))
		if !(math.Abs(ticks) <= float64(math.MaxInt64/s.unit())) {
			return fmt.Errorf("%s s is out of range", text)
		}
		*p = time.Duration(ticks) * s.unit()
		return nil
	case *uint64:
		if text == nil && s == bytesPerSec {
			*p = Unlimited
		}
	}
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, at)
}
