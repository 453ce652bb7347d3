package wire

import (
	"bytes"
	"testing"
)

func TestFrameBounds(t *testing.T) {
	for name, frame := range map[string][]byte{
		"empty":      {0, 0, 0, 0},
		"too large":  {0, 1, 0, 0},
		"huge":       {255, 255, 255, 255},
		"cut short":  append([]byte{0, 0, 0, 9}, `{"a":1`...),
		"no length":  {0, 0},
		"not JSON":   append([]byte{0, 0, 0, 3}, "abc"...),
		"with a NUL": append([]byte{0, 0, 0, 3}, "{}\x00"...),
	} {
		var v any
		if err := ReadJSON(bytes.NewReader(frame), 100, &v); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
