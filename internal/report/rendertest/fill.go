package rendertest

import (
	"reflect"
	"time"
)

// Fill sets every field that v points to, at any depth: strings to text, slices
// and maps to two elements, pointers to a value, numbers to 1. Strings of a
// named type, which the program knows the words of, become known[their type]
// where that has one, so that what a report does for each word is reached too.
func Fill(v any, text string, known map[reflect.Type]string) {
	filler{text, known, map[reflect.Type]bool{}}.fill(reflect.ValueOf(v).Elem())
}

type filler struct {
	text  string
	known map[reflect.Type]string
	// within are the types behind pointers that are being filled: one that points
	// to its own kind does so once.
	within map[reflect.Type]bool
}

var timeType = reflect.TypeFor[time.Time]()

func (f filler) fill(v reflect.Value) {
	if !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		word, isKnown := f.known[v.Type()]
		if !isKnown {
			word = f.text
		}
		v.SetString(word)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		if f.within[v.Type().Elem()] {
			return
		}
		f.within[v.Type().Elem()] = true
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
		delete(f.within, v.Type().Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.elements(v)
	case reflect.Array:
		f.elements(v)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == timeType {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC)))
			return
		}
		for _, field := range v.Fields() {
			f.fill(field)
		}
	}
}

func (f filler) elements(v reflect.Value) {
	for i := range v.Len() {
		f.fill(v.Index(i))
	}
}
