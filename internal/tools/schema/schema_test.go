package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// kind is a word of a few.
type kind string

const (
	one kind = "one"
	two kind = "two"
)

// The test reads this file; nothing else needs the words.
var _ = []kind{one, two}

// inner has a comment.
type inner struct {
	Rate float64 `json:"rate_bps"` // at the receiver
	Kind kind    `json:"kind"`
}

type embedded struct {
	Count uint8 `json:"count"`
}

type sealed struct{}

func (sealed) MarshalJSON() ([]byte, error) { return []byte(`[1]`), nil }

type outer struct {
	Schema string           `json:"schema"`
	List   []inner          `json:"list"`
	Some   *inner           `json:"some,omitempty"`
	Three  [3]int           `json:"three"`
	Names  map[string]int64 `json:"names,omitempty"`
	At     time.Time        `json:"at"`
	Raw    json.RawMessage  `json:"raw,omitempty"`
	Hidden string           `json:"-"`
	embedded
}

func TestGenerate(t *testing.T) {
	text, err := Generate(Document{Schema: "unchoke.test.outer/3", Title: "a test", Zero: outer{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ID         string                    `json:"$id"`
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
		Closed     any                       `json:"additionalProperties"`
		Defs       map[string]struct {
			Properties map[string]map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != "urn:unchoke:test:outer:3" || got.Closed != false {
		t.Errorf("%q, closed %v", got.ID, got.Closed)
	}
	if want := []string{"schema", "list", "three", "at", "count"}; !reflect.DeepEqual(got.Required, want) {
		t.Errorf("required %q, want %q", got.Required, want)
	}
	for key, want := range map[string]map[string]any{
		"schema": {"const": "unchoke.test.outer/3"},
		"list":   {"type": []any{"array", "null"}, "items": map[string]any{"$ref": "#/$defs/schema.inner"}},
		"some":   {"$ref": "#/$defs/schema.inner"},
		"three":  {"type": "array", "items": map[string]any{"type": "integer"}, "minItems": 3.0, "maxItems": 3.0},
		"names":  {"type": "object", "additionalProperties": map[string]any{"type": "integer"}},
		"at":     {"type": "string", "format": "date-time"},
		"raw":    {},
		"count":  {"type": "integer", "minimum": 0.0},
	} {
		if !reflect.DeepEqual(got.Properties[key], want) {
			t.Errorf("%s: %v, want %v", key, got.Properties[key], want)
		}
	}
	if len(got.Properties) != 8 || len(got.Defs["schema.inner"].Properties) != 2 {
		t.Errorf("members %v, defined %v", got.Properties, got.Defs)
	}
}

// Comments, units and constants come from the source.
func TestGenerateFromSource(t *testing.T) {
	text, err := Generate(Document{Schema: "unchoke.test/1", Zero: struct{ Document }{}.Document}, nil)
	if err == nil {
		t.Errorf("a struct whose fields have no keys gave %s", text)
	}
	if got := string(must(marshal(describe("at the receiver", "rate_bps", object{{"type", "number"}})))); got != `{"description":"At the receiver. Unit: bit/s.","type":"number"}` {
		t.Error(got)
	}
	var s source
	f, err := s.of(reflect.TypeFor[Document]())
	if err != nil || f.fields["Document.Schema"] != "its name and version: unchoke.check/1" || !strings.HasPrefix(f.types["Document"], "A Document is one kind") {
		t.Errorf("%+v, %v", f, err)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// What prints itself cannot be seen into.
func TestGenerateRefuses(t *testing.T) {
	for name, zero := range map[string]any{
		"a marshaler": struct {
			X sealed `json:"x"`
		}{},
		"a field without a key": struct{ X int }{},
		"a channel": struct {
			X chan int `json:"x"`
		}{},
	} {
		if text, err := Generate(Document{Schema: "unchoke.test/1", Zero: zero}, nil); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestValidate(t *testing.T) {
	good := `{"schema":"unchoke.version/1","version":"1","go":"go1","platform":"linux/amd64"}`
	if err := Validate([]byte(good + "\n" + good)); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"no JSON":           "hello",
		"cut short":         good[:20],
		"of nobody":         `{"schema":"other/1"}`,
		"without a schema":  `{"schema":"unchoke.nothing/1"}`,
		"a member missing":  `{"schema":"unchoke.version/1","version":"1","go":"go1"}`,
		"a member too many": strings.Replace(good, `"go"`, `"more":1,"go"`, 1),
		"another type":      strings.Replace(good, `"1"`, `1`, 1),
		"the second bad":    good + "{}",
	} {
		if Validate([]byte(text)) == nil {
			t.Errorf("%s: valid", name)
		}
	}
}
