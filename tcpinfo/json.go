package tcpinfo

import (
	"bytes"
	"encoding/json"
	"errors"
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
	texts, err := cutObject(b)
	if err != nil {
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

// cutObject is the text of each value of an object in valid JSON, as encoding/json hands
// it to UnmarshalJSON. A check's record holds thousands of tcp_info, and is read in two
// thirds of the time that a decoder for each takes. Of what is not valid it takes what
// comes first.
func cutObject(b []byte) (map[string][]byte, error) {
	b = skipBlanks(b)
	if bytes.HasPrefix(b, []byte("null")) {
		return nil, nil
	}
	if len(b) == 0 || b[0] != '{' {
		return nil, errors.New("no object")
	}
	texts := make(map[string][]byte, len(members))
	for len(b) > 1 && b[0] != '}' {
		var key, text []byte
		key, b = cutValue(b[1:])
		if len(key) < 2 || len(b) == 0 {
			break
		}
		text, b = cutValue(b[1:])
		texts[string(key[1:len(key)-1])] = text
	}
	return texts, nil
}

// cutValue cuts the first value off JSON, with what is blank on both its sides.
func cutValue(b []byte) (text, rest []byte) {
	b = skipBlanks(b)
	depth, quoted := 0, false
	for n := 0; n < len(b); n++ {
		c := b[n]
		switch {
		case quoted && c == '\\':
			n++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && (c <= ' ' || c == ',' || c == ':' || c == '}'):
			return b[:n], skipBlanks(b[n:])
		}
	}
	return b, nil
}

func skipBlanks(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	return b
}

// scan reads a member's text, nil where it is not there. Most members are numbers, a
// hundred thousand in the record of a check: they are read without a decoder each.
func scan(at any, text []byte, s scale) error {
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
