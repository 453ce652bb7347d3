//go:build slim

package record

import "fmt"

// another is the error of a document that is none of the kinds asked for.
func another(_ []byte, schema, want string) error {
	return fmt.Errorf("not a record: its schema is %q, not %q", schema, want)
}
