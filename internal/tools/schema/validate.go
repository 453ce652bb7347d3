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

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrNone means that a document's schema is not published.
var ErrNone = errors.New("no schema is published")

// Validate holds each of the documents in text, which stand one after the
// other, against the published schema that it names. Text that is no JSON, or
// JSON that is no document of unchoke's, is an error.
func Validate(text []byte) error {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := validate(raw); err != nil {
			return err
		}
	}
}

func validate(raw json.RawMessage) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return err
	}
	if !strings.HasPrefix(head.Schema, "unchoke.") {
		return fmt.Errorf("%w of a document whose schema is %q", ErrNone, head.Schema)
	}
	published, err := Compile(head.Schema)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := published.Validate(value); err != nil {
		return fmt.Errorf("document of %s: %w", head.Schema, err)
	}
	return nil
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
