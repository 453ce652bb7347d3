package words

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
)

type point struct{ x, y int }

func axis(name string, of func(*point) *int) Key[point] {
	return Key[point]{
		name, "a number",
		func(p *point, v string) (err error) {
			if *of(p), err = strconv.Atoi(v); err != nil {
				return fmt.Errorf("%q is no number", v)
			}
			return nil
		},
		func(p point) string {
			if *of(&p) == 0 {
				return ""
			}
			return strconv.Itoa(*of(&p))
		},
	}
}

var axes = Keys[point]{
	axis("x", func(p *point) *int { return &p.x }),
	axis("y", func(p *point) *int { return &p.y }),
}

func TestParseAndTextAreInverse(t *testing.T) {
	for text, want := range map[string]point{"x=3": {3, 0}, "x=3,y=-4": {3, -4}, "y=5": {0, 5}} {
		got, err := axes.Parse("point", text)
		if err != nil || got != want || axes.Text(got) != text {
			t.Errorf("%s: %v, %v, printed %s", text, got, err, axes.Text(got))
		}
	}
	if got, err := axes.Parse("point", "y=2,x=1"); err != nil || axes.Text(got) != "x=1,y=2" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]struct{ message, pointer, hint string }{
		"":          {`point: "" is not KEY=VALUE at character 1`, "\n^", "keys are x, y"},
		"x=1,z=2":   {`point: unknown key "z" at character 5`, "x=1,z=2\n    ^", "keys are x, y"},
		"x=1,x=2":   {`point: "x" is given twice at character 5`, "x=1,x=2\n    ^", "each key once"},
		"y=ab":      {`point: bad value for y: "ab" is no number at character 3`, "y=ab\n  ^^", "y takes a number"},
		"x=1,y=":    {`point: bad value for y: it is empty at character 7`, "x=1,y=\n      ^", "y takes a number"},
		"x=1,,y=2":  {`point: "" is not KEY=VALUE at character 5`, "x=1,,y=2\n    ^", "keys are x, y"},
		"x=1,y=2,z": {`point: "z" is not KEY=VALUE at character 9`, "x=1,y=2,z\n        ^", "keys are x, y"},
	} {
		_, err := axes.Parse("point", text)
		wrong, ok := errors.AsType[*Error](err)
		if !ok || wrong.Error() != want.message || wrong.Pointer() != want.pointer || wrong.Hint() != want.hint {
			t.Errorf("%q: %v\n%+v", text, err, wrong)
		}
	}
}
