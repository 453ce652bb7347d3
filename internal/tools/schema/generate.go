package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Generate makes the schema of a document. A type that marshals itself needs an
// entry in own, since what it prints is not to be seen from outside.
func Generate(d Document, own map[reflect.Type]any) ([]byte, error) {
	g := generator{own: own, names: map[reflect.Type]string{}}
	t := reflect.TypeOf(d.Zero)
	body, err := g.structure(t, d.Schema)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", d.Schema, err)
	}
	doc := append(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$id", "urn:unchoke:" + strings.NewReplacer(".", ":", "/", ":").Replace(strings.TrimPrefix(d.Schema, "unchoke."))},
		{"title", d.Title},
	}, body...)
	if len(g.defs) > 0 {
		slices.SortFunc(g.defs, func(a, b member) int { return strings.Compare(a.key, b.key) })
		doc = append(doc, member{"$defs", object(g.defs)})
	}
	text, err := marshal(doc)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

type generator struct {
	own    map[reflect.Type]any
	source source
	names  map[reflect.Type]string // of those in defs
	defs   []member
}

var (
	selfJSON = reflect.TypeFor[json.Marshaler]()
	selfText = reflect.TypeFor[encoding.TextMarshaler]()
)

// schema is what encoding/json prints of a type.
func (g *generator) schema(t reflect.Type) (object, error) {
	if own, ok := g.own[t]; ok {
		return g.define(t, func() (object, error) { return toObject(own) })
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return g.schema(t.Elem())
	case t == reflect.TypeFor[time.Time]():
		return object{{"type", "string"}, {"format", "date-time"}}, nil
	case t == reflect.TypeFor[json.RawMessage]():
		return object{}, nil
	case t.Implements(selfJSON):
		return nil, fmt.Errorf("%v marshals itself: say what it prints", t)
	case t.Implements(selfText):
		return object{{"type", "string"}}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{{"type", "boolean"}}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{{"type", "integer"}}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}, nil
	case reflect.Float32, reflect.Float64:
		return object{{"type", "number"}}, nil
	case reflect.String:
		return g.text(t)
	case reflect.Slice, reflect.Array:
		return g.array(t)
	case reflect.Map:
		values, err := g.schema(t.Elem())
		return object{{"type", "object"}, {"additionalProperties", values}}, err
	case reflect.Interface:
		return object{}, nil
	case reflect.Struct:
		return g.define(t, func() (object, error) { return g.structure(t, "") })
	}
	return nil, fmt.Errorf("%v is nothing that JSON has", t)
}

// text is a string, one of its type's constants where it has some.
func (g *generator) text(t reflect.Type) (object, error) {
	out := object{{"type", "string"}}
	if t.PkgPath() == "" {
		return out, nil
	}
	f, err := g.source.of(t)
	if err != nil {
		return nil, err
	}
	if values := f.values[t.Name()]; len(values) > 0 {
		out = append(out, member{"enum", values})
	}
	return out, nil
}

func (g *generator) array(t reflect.Type) (object, error) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return object{{"type", "string"}, {"contentEncoding", "base64"}}, nil
	}
	items, err := g.schema(t.Elem())
	out := object{{"type", "array"}, {"items", items}}
	if t.Kind() == reflect.Array {
		out = append(out, member{"minItems", t.Len()}, member{"maxItems", t.Len()})
	}
	return out, err
}

// define puts a type's schema among the definitions and refers to it.
func (g *generator) define(t reflect.Type, make func() (object, error)) (object, error) {
	name, known := g.names[t]
	if !known {
		name = t.String() // package.Type
		g.names[t] = name
		body, err := make()
		if err != nil {
			return nil, err
		}
		g.defs = append(g.defs, member{name, body})
	}
	return object{{"$ref", "#/$defs/" + name}}, nil
}

// structure is an object of the struct's fields; one that is a document has the
// schema's name in its member "schema".
func (g *generator) structure(t reflect.Type, schema string) (object, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	f, err := g.source.of(t)
	if err != nil {
		return nil, err
	}
	properties, required, err := g.members(t, schema)
	if err != nil {
		return nil, err
	}
	var out object
	if text := f.types[t.Name()]; text != "" {
		out = append(out, member{"description", text})
	}
	return append(out, member{"type", "object"}, member{"properties", properties},
		member{"required", required}, member{"additionalProperties", false}), nil
}

func (g *generator) members(t reflect.Type, schema string) (properties object, required []string, err error) {
	properties, required = object{}, []string{}
	f, err := g.source.of(t)
	if err != nil {
		return nil, nil, err
	}
	for field := range t.Fields() {
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case key == "-" || !field.IsExported() && !field.Anonymous:
			continue
		case field.Anonymous && key == "":
			inner, needed, err := g.members(field.Type, schema)
			if err != nil {
				return nil, nil, err
			}
			properties, required = append(properties, inner...), append(required, needed...)
			continue
		case key == "":
			return nil, nil, fmt.Errorf("%v.%s has no key in JSON", t, field.Name)
		}
		value, err := g.schema(field.Type)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", key, err)
		}
		for i, m := range value { // words that the struct's package adds to another's
			if more := f.values[field.Type.String()]; m.key == "enum" && len(more) > 0 {
				value[i].value = append(slices.Clone(m.value.([]string)), more...)
			}
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if !optional {
			required = append(required, key)
			value = orNull(field.Type, value)
		}
		if key == "schema" && schema != "" {
			value = object{{"const", schema}}
		}
		properties = append(properties, member{key, describe(f.fields[t.Name()+"."+field.Name], key, value)})
	}
	return properties, required, nil
}

// orNull allows null for what Go prints so where there is nothing.
func orNull(t reflect.Type, value object) object {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
	default:
		return value
	}
	for i, m := range value {
		if m.key == "type" {
			value[i].value = []any{m.value, "null"}
			return value
		}
	}
	return object{{"anyOf", []any{value, object{{"type", "null"}}}}}
}

func toObject(v any) (object, error) {
	if o, ok := v.(object); ok {
		return o, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is no schema", v)
	}
	var out object
	for key, value := range m {
		out = append(out, member{key, value})
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.key, b.key) })
	return out, nil
}
