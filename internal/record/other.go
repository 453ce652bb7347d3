//go:build !slim

package record

import (
	"encoding/json"
	"fmt"
	"strings"
)

// other is a document of another kind: most likely a command's --json, which names
// the record that it was made from.
type other struct {
	schema, want string
	record       *string // the ID of its record; nil where it has no place for one
}

// another is the error of a document that is none of the kinds asked for.
func another(b []byte, schema, want string) error {
	e := &other{schema: schema, want: want}
	var doc struct {
		Record *string `json:"record"`
	}
	if json.Unmarshal(b, &doc) == nil && strings.HasPrefix(schema, "unchoke.") {
		e.record = doc.Record
	}
	return e
}

func (e *other) Error() string {
	return fmt.Sprintf("not a record: its schema is %q, not %q", e.schema, e.want)
}

// Hint says which record the document is about.
func (e *other) Hint() string {
	switch {
	case e.record == nil:
		return ""
	case ValidID(*e.record):
		return fmt.Sprintf("this is a report; its key \"record\" names the record that it is of: give %[1]s in place of the file (for another host: unchoke record show %[1]s --json > FILE)", *e.record)
	}
	return "this is a report whose record was not saved (its key \"record\" is empty): check again without --no-save, and give the record"
}
