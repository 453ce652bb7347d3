// Package schema makes JSON Schemas (2020-12) of documents from their Go types,
// and holds documents against those that docs/schema publishes. Only tests
// import it.
//
// A member's description is its Go comment, with the unit that its key names.
// Every object is closed: what a document may have is all that its schema lists.
package schema

import (
	"path/filepath"
	"runtime"
	"strings"
)

// A Document is one kind of JSON that unchoke prints or stores.
type Document struct {
	Schema string // its name and version: unchoke.check/1
	Title  string // who prints or stores it
	Zero   any    // a value of its Go type
}

// File is the name of its schema in docs/schema.
func (d Document) File() string { return file(d.Schema) }

func file(schema string) string {
	name, version, _ := strings.Cut(strings.TrimPrefix(schema, "unchoke."), "/")
	return name + "-" + version + ".json"
}

// Dir is docs/schema.
func Dir() string { return filepath.Join(root(), "docs", "schema") }

// root is the top of the source tree that this was compiled from.
func root() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..")
}
