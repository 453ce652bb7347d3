package draw

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"unchoke/internal/path"
)

// builder collects a scene word by word. Impairments apply themselves to it,
// so that a scene without one of them is the same list of calls but one.
type builder struct {
	words     map[string]string // of the path language
	near, far map[string]string // sysctls
	setup     []string
}

func newBuilder() *builder {
	return &builder{words: map[string]string{}, near: map[string]string{}, far: map[string]string{}}
}

// set writes a word of the path language; an empty value takes it away.
func (b *builder) set(key, value string) {
	if value == "" {
		delete(b.words, key)
		return
	}
	b.words[key] = value
}

func (b *builder) setIn(directions []Direction, key, value string) {
	for _, d := range directions {
		b.set(string(d)+"."+key, value)
	}
}

func (b *builder) scene() Scene {
	return Scene{
		Path:       b.path(),
		NearSysctl: assignments(b.near),
		FarSysctl:  assignments(b.far),
		Setup:      strings.Join(b.setup, "; "),
	}
}

// path writes the words in the language's own order, in which those of both
// directions come before those of one.
func (b *builder) path() string {
	var out []string
	keys := path.Keys()
	for _, key := range keys {
		if value := b.words[key]; value != "" {
			out = append(out, key+"="+value)
		}
	}
	for key := range b.words {
		if !slices.Contains(keys, key) {
			panic(fmt.Sprintf("%q is no word of the path language", key))
		}
	}
	return strings.Join(out, ",")
}

func assignments(sysctls map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(sysctls)) {
		out = append(out, key+"="+sysctls[key])
	}
	return out
}
