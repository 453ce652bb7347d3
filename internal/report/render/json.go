package render

import (
	"bytes"
	"encoding/json"
	"io"
)

// JSON writes a document, indented, as characters that are safe on a terminal:
// what JSON itself leaves raw is escaped.
func JSON(w io.Writer, document any) error { return writeJSON(w, document, "  ") }

func writeJSON(w io.Writer, document any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(document); err != nil {
		return err
	}
	_, err := io.WriteString(w, printableDocument(b.String()))
	return err
}

// OrEmpty keeps an array in JSON an array.
func OrEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// JSONLine writes a document on a line of its own.
func JSONLine(w io.Writer, document any) error { return writeJSON(w, document, "") }
