package tape

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"unchoke/internal/live"
)

// kind is how a field's values are written.
type kind string

const (
	text    kind = "text"    // names, in the frame's list of them
	boolean kind = "boolean" // 0 or 1
	integer kind = "integer" // the difference from the value before
	figure  kind = "figure"  // a mantissa of six digits at most, and a power of ten
	since   kind = "since"   // a time before the snapshot's, in ms since 1970
)

// field is one of a flow.
type field struct {
	Key   string `json:"key"` // that of JSON; of an object's member, both with a full stop between
	Kind  kind   `json:"kind"`
	index []int  // in live.Flow; nil where this version does not have it
}

// judgement are the keys that follow from the others.
var judgement = []string{"verdict", "confidence", "summary", "evidence", "warnings", "advice", "next"}

// sinceKeys are times that pass by themselves: recorded is when they began.
var sinceKeys = []string{"age_s", "idle_s"}

// fields are all of a flow, in the order of the type.
var fields = fieldsOf(reflect.TypeFor[live.Flow](), "", nil)

func fieldsOf(t reflect.Type, prefix string, index []int) []field {
	var out []field
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if prefix == "" && slices.Contains(judgement, key) {
			continue
		}
		at := append(slices.Clone(index), f.Index...)
		key = prefix + key
		switch {
		case f.Type == reflect.TypeFor[netip.AddrPort]() || f.Type.Kind() == reflect.String:
			out = append(out, field{key, text, at})
		case f.Type.Kind() == reflect.Bool:
			out = append(out, field{key, boolean, at})
		case slices.Contains(sinceKeys, key):
			out = append(out, field{key, since, at})
		case f.Type.Kind() == reflect.Float64:
			out = append(out, field{key, figure, at})
		case f.Type.Kind() == reflect.Struct:
			out = append(out, fieldsOf(f.Type, key+".", at)...)
		case reflect.Zero(f.Type).CanInt() || reflect.Zero(f.Type).CanUint():
			out = append(out, field{key, integer, at})
		default:
			panic("a recording has no " + f.Type.String() + " of " + key)
		}
	}
	return out
}

// known gives a recording's fields their place in live.Flow.
func known(recorded []field) {
	for i := range recorded {
		j := slices.IndexFunc(fields, func(f field) bool { return f.Key == recorded[i].Key && f.Kind == recorded[i].Kind })
		if j >= 0 {
			recorded[i].index = fields[j].index
		}
	}
}

// sameText compares text fields of flows that may be addressed.
func sameText(a, b reflect.Value) bool {
	if a.Kind() == reflect.String {
		return a.String() == b.String()
	}
	return *a.Addr().Interface().(*netip.AddrPort) == *b.Addr().Interface().(*netip.AddrPort)
}

// textOf is a text field's value.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	a := v.Interface().(netip.AddrPort)
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

// setText sets a text field; false where it is an address that is none.
func setText(v reflect.Value, s string) bool {
	if v.Kind() == reflect.String {
		v.SetString(s)
		return true
	}
	var a netip.AddrPort
	var err error
	if s != "" {
		a, err = netip.ParseAddrPort(s)
	}
	v.Set(reflect.ValueOf(a))
	return err == nil
}

// integerOf is an integer field's value, in 64 bits.
func integerOf(v reflect.Value) uint64 {
	if v.CanInt() {
		return uint64(v.Int())
	}
	return v.Uint()
}

func setInteger(v reflect.Value, n uint64) {
	if v.CanInt() {
		v.SetInt(int64(n))
		return
	}
	v.SetUint(n)
}
