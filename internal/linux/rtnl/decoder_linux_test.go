package rtnl

import "testing"

// read goes through attributes as a caller does.
func read(b []byte) (number uint32, text string, err error) {
	d := NewDecoder(b)
	for d.Next() {
		switch d.Type() {
		case 1:
			number = d.Uint32()
		case 2:
			d.Nested(func(within *Decoder) error {
				for within.Next() {
					if within.Type() == 3 {
						text = within.String()
					}
				}
				return nil
			})
		}
	}
	return number, text, d.Err()
}

func TestDecoder(t *testing.T) {
	const nested = 1 << 15
	message := Attr(Attr(Attr(nil, 9, []byte("odd")), nested|2, Attr(Attr(nil, 3, Str("cubic")), 4, nil)), 1, U32(nil, 7))
	if number, text, err := read(message); number != 7 || text != "cubic" || err != nil {
		t.Errorf("%d, %q, %v", number, text, err)
	}
	for what, b := range map[string][]byte{
		"a number of two bytes":   Attr(nil, 1, []byte{1, 2}),
		"half a header":           message[:2],
		"a value cut short":       message[:len(message)-1],
		"a length below a header": {3, 0, 3, 0},
		"the same within another": Attr(nil, 2, []byte{3, 0, 3, 0}),
	} {
		if _, _, err := read(b); err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add(Attr(Attr(nil, 1, U32(nil, 7)), 2, Attr(nil, 3, Str("x"))))
	f.Fuzz(func(t *testing.T, b []byte) { _, _, _ = read(b) })
}

func FuzzAnswers(f *testing.F) {
	f.Add(Request{Type: 16, Flags: 2, Body: make([]byte, 16)}.append(nil, 0))
	f.Add(Request{Type: 3, Body: make([]byte, 4)}.append(nil, 0))
	f.Fuzz(func(t *testing.T, b []byte) { _, _, _ = parseAnswers(b) })
}
