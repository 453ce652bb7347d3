package tune

import (
	"fmt"
	"strings"
)

// Words is a value on one line, as a person would say it: "bbr" in quotes, a file
// by its number of lines, a qdisc and a route by what they are set to.
func Words(kind Kind, value *string) string {
	if value == nil {
		return "absent"
	}
	switch kind {
	case File:
		if v, err := Decode[FileValue](value); err == nil {
			return fileWords(*v)
		}
	case Qdisc:
		if v, err := Decode[QdiscValue](value); err == nil {
			return strings.TrimSpace(v.describe() + " " + v.Handle)
		}
	case Route:
		if v, err := Decode[RouteValue](value); err == nil {
			if v.CC == "" {
				return "without an algorithm"
			}
			return fmt.Sprintf("congctl %q", v.CC)
		}
	}
	const most = 80
	if len(*value) > most {
		return fmt.Sprintf("%q…", (*value)[:most])
	}
	return fmt.Sprintf("%q", *value)
}

func fileWords(v FileValue) string {
	switch {
	case v.Dir:
		return "a directory"
	case v.Link != "":
		return fmt.Sprintf("a link to %q", v.Link)
	}
	return fmt.Sprintf("a file of %d lines, mode %#o", len(contentLines(v)), v.Mode)
}

// Difference is how a value differs from the one that was made: of a file the
// first line that one has and the other has not, else the two values.
func Difference(kind Kind, made, have *string) string {
	if kind == File && made != nil && have != nil {
		was, err1 := Decode[FileValue](made)
		is, err2 := Decode[FileValue](have)
		if err1 == nil && err2 == nil && !was.Dir && !is.Dir && was.Link == "" && is.Link == "" {
			if what := lineDifference(contentLines(*was), contentLines(*is)); what != "" {
				return what
			}
		}
	}
	return fmt.Sprintf("is %s, was made %s", Words(kind, have), Words(kind, made))
}

func contentLines(v FileValue) []string {
	if len(v.Content) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(v.Content), "\n"), "\n")
}

func lineDifference(made, have []string) string {
	for i := range max(len(made), len(have)) {
		switch {
		case i >= len(made):
			return fmt.Sprintf("has a line more, %q", have[i])
		case i >= len(have):
			return fmt.Sprintf("lacks the line %q", made[i])
		case made[i] != have[i]:
			return fmt.Sprintf("has %q in line %d, was made %q", have[i], i+1, made[i])
		}
	}
	return ""
}
