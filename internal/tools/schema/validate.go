package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrNone means that a document's schema is not published.
var ErrNone = errors.New("no schema is published")

// Validate holds each of the documents in text, which stand one after the
// other, against the published schema that it names. Text that is no JSON, or
// JSON that is no document of unchoke's, is an error.
func Validate(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // as package jsonschema wants them
	for {
		var value any
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := validate(value); err != nil {
			return err
		}
	}
}

func validate(value any) error {
	document, _ := value.(map[string]any)
	name, _ := document["schema"].(string)
	if !strings.HasPrefix(name, "unchoke.") {
		return fmt.Errorf("%w of a document whose schema is %q", ErrNone, name)
	}
	published, err := compiledOnce(name)
	if err != nil {
		return err
	}
	if err := published.Validate(thinned(value)); err != nil {
		return fmt.Errorf("document of %s: %w", name, err)
	}
	return nil
}

// manyItems is how many of a list are held against its schema: a series has tens of
// thousands, which one Go type writes.
const manyItems = 200

// thinned is a document with fewer items in its long lists: the first, the last, and
// some at even distances between.
func thinned(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			value[key] = thinned(member)
		}
	case []any:
		items := value
		if n := len(value); n > manyItems {
			items = make([]any, manyItems)
			for i := range items {
				items[i] = value[i*(n-1)/(manyItems-1)]
			}
		}
		for i := range items {
			items[i] = thinned(items[i])
		}
		return items
	}
	return value
}

// compiled keeps what Validate compiled, by name: a test may have hundreds of
// documents of one schema.
var compiled sync.Map

func compiledOnce(name string) (*jsonschema.Schema, error) {
	if known, ok := compiled.Load(name); ok {
		return known.(*jsonschema.Schema), nil
	}
	published, err := Compile(name)
	if err != nil {
		return nil, err
	}
	compiled.Store(name, published)
	return published, nil
}

// Compile reads the published schema of that name, and checks it against that
// of schemas. Formats such as date-time are held as well.
func Compile(schema string) (*jsonschema.Schema, error) {
	name := filepath.Join(Dir(), file(schema))
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w of %s: %w", ErrNone, schema, err)
	}
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", schema, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
}
