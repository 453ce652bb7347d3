package tcpinfo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
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
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(b, &texts); err != nil {
		return fmt.Errorf("decode tcp_info: %w", err)
	}
	*i = Info{}
	for _, m := range []struct {
		key string
		at  any
	}{
		{"system", &i.System},
		{"length_bytes", &i.Length},
		{"snd_wscale", &i.SndWscale},
		{"rcv_wscale", &i.RcvWscale},
		{"app_limited", &i.AppLimited},
		{"fastopen_fail", &i.FastOpenFail},
	} {
		if err := scan(m.at, texts[m.key], plain); err != nil {
			return fmt.Errorf("decode tcp_info: %s: %w", m.key, err)
		}
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

// scan reads a member's text, nil where it is not there. Most members are numbers, a
// hundred thousand in the record of a check: they are read without a decoder each.
func scan(at any, text json.RawMessage, s scale) error {
	if text == nil {
		if p, rate := at.(*uint64); rate && s == bytesPerSec {
			*p = Unlimited
		}
		return nil
	}
	var err error
	switch p := at.(type) {
	case *time.Duration:
		*p, err = duration(string(text), s.unit())
	case *uint8, *uint16, *uint32, *uint64:
		var n uint64
		number := reflect.ValueOf(p).Elem()
		n, err = strconv.ParseUint(string(text), 10, number.Type().Bits())
		number.SetUint(n)
	default:
		err = json.Unmarshal(text, at)
	}
	return err
}

// duration reads seconds as a whole number of ticks of unit.
func duration(seconds string, unit time.Duration) (time.Duration, error) {
	n, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return 0, err
	}
	ticks := math.Round(n * float64(time.Second/unit))
	if !(math.Abs(ticks) <= float64(math.MaxInt64/unit)) {
		return 0, fmt.Errorf("%s s is out of range", seconds)
	}
	return time.Duration(ticks) * unit, nil
}
