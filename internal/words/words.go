// Package words reads and prints values as text, KEY=VALUE,…: a path, an arm, a
// traffic. Reading and printing are inverse, and errors point at the place.
package words

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Key is one word of the text form of a T: how its value is read and printed.
type Key[T any] struct {
	Name    string
	Allowed string // what an error shows
	Set     func(*T, string) error
	Text    func(T) string // empty for the zero value
}

// Keys are all words of a T, in the order in which they are printed.
type Keys[T any] []Key[T]

// Names of the keys.
func (keys Keys[T]) Names() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// Without is the keys but that of a name.
func (keys Keys[T]) Without(name string) Keys[T] {
	return slices.DeleteFunc(slices.Clone(keys), func(k Key[T]) bool { return k.Name == name })
}

// Find is the key of a name.
func (keys Keys[T]) Find(name string) (Key[T], bool) {
	i := slices.IndexFunc(keys, func(k Key[T]) bool { return k.Name == name })
	if i < 0 {
		return Key[T]{}, false
	}
	return keys[i], true
}

// Text is the value as text. That of the zero value is empty.
func (keys Keys[T]) Text(v T) string {
	var items []string
	for _, k := range keys {
		if text := k.Text(v); text != "" {
			items = append(items, k.Name+"="+text)
		}
	}
	return strings.Join(items, ",")
}

// Parse reads KEY=VALUE,…, each key at most once. What the text describes is
// for the error, an *Error.
func (keys Keys[T]) Parse(what, text string) (T, error) {
	var v T
	r := keys.Reader(what, text)
	offset := 0
	for item := range strings.SplitSeq(text, ",") {
		k, value, err := r.Cut(offset, item)
		if err != nil {
			return v, err
		}
		if err := r.Set(&v, k, offset+len(k.Name)+1, value); err != nil {
			return v, err
		}
		offset += len(item) + 1
	}
	return v, nil
}

// Reader reads the parts of a text whose grammar is another than Parse's.
func (keys Keys[T]) Reader(what, text string) *Reader[T] {
	return &Reader[T]{keys, what, text, map[string]bool{}}
}

// Reader reads parts of one text.
type Reader[T any] struct {
	keys       Keys[T]
	what, text string
	seen       map[string]bool
}

// Errorf is an *Error of a part of the text.
func (r *Reader[T]) Errorf(offset, length int, allowed, format string, args ...any) error {
	return &Error{r.what, r.text, offset, length, fmt.Sprintf(format, args...), allowed}
}

// Cut cuts KEY=VALUE, which stands at the offset. Each key may come once.
func (r *Reader[T]) Cut(offset int, item string) (k Key[T], value string, err error) {
	name, value, ok := strings.Cut(item, "=")
	names := "keys are " + strings.Join(r.keys.Names(), ", ")
	if !ok {
		return k, "", r.Errorf(offset, len(item), names, "%q is not KEY=VALUE", item)
	}
	if k, ok = r.keys.Find(name); !ok {
		return k, "", r.Errorf(offset, len(name), names, "unknown key %q", name)
	}
	if r.seen[name] {
		return k, "", r.Errorf(offset, len(name), "each key once", "%q is given twice", name)
	}
	r.seen[name] = true
	return k, value, nil
}

// Set reads the key's value, which stands at the offset.
func (r *Reader[T]) Set(v *T, k Key[T], offset int, value string) error {
	err := k.Set(v, value)
	if value == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return r.Errorf(offset, len(value), k.Name+" takes "+k.Allowed, "bad value for %s: %v", k.Name, err)
	}
	return nil
}
