package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// ParseError says what is wrong where in the text of an arm or a grid.
type ParseError struct {
	Text    string // the whole
	Offset  int    // of the offending part, in bytes
	Length  int    // of the offending part, in bytes
	Problem string
	Allowed string // what would have been right
}

// Error is one line; Pointer draws the place.
func (e *ParseError) Error() string {
	return fmt.Sprintf("arm: %s at character %d", e.Problem, e.Offset+1)
}

// Pointer is the text with carets beneath the offending part.
func (e *ParseError) Pointer() string {
	return e.Text + "\n" + strings.Repeat(" ", e.Offset) + strings.Repeat("^", max(e.Length, 1))
}

// Hint says what is allowed.
func (e *ParseError) Hint() string { return e.Allowed }

// MaxStreams is the most parallel streams that stock iperf3 runs
// (MAX_STREAMS in its iperf.h).
const MaxStreams = 128

// maxCCName is the longest name of a congestion control: TCP_CA_NAME_MAX of
// the kernel, less the terminating NUL.
const maxCCName = 15

// maxWindow is what the socket options can express: an int.
const maxWindow = 2*unit.GiB - 1

// key is one word of an arm's text.
type key struct {
	name    string
	allowed string
	set     func(*record.Arm, string) error
	get     func(record.Arm) string // empty where the arm leaves it to the host
}

// keys in the order in which an arm is printed.
var keys = []key{
	{
		"cc", "the name of a congestion control, such as bbr",
		func(a *record.Arm, v string) error {
			if len(v) > maxCCName || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
				return fmt.Errorf("%q is no name of a congestion control", v)
			}
			a.CC = v
			return nil
		},
		func(a record.Arm) string { return a.CC },
	},
	{
		"window", "a socket buffer's size, such as 512KiB",
		func(a *record.Arm, v string) error {
			size, err := unit.ParseSize(v)
			if err == nil && (size < 1 || size > maxWindow) {
				err = fmt.Errorf("%q is not between 1 byte and 2 GiB", v)
			}
			a.Window = int64(size)
			return err
		},
		func(a record.Arm) string {
			if a.Window == 0 {
				return ""
			}
			return unit.Size(a.Window).String()
		},
	},
	{
		"streams", fmt.Sprintf("a number from 1 to %d", MaxStreams),
		func(a *record.Arm, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > MaxStreams {
				return fmt.Errorf("%q is no number of streams", v)
			}
			a.Streams = n
			return nil
		},
		func(a record.Arm) string {
			if a.Streams == 0 {
				return ""
			}
			return strconv.Itoa(a.Streams)
		},
	},
	{
		"target", "host, host:port or a URL, without commas and spaces",
		func(a *record.Arm, v string) error {
			if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
				return fmt.Errorf("%q holds a space or a control character", v)
			}
			a.Target = v
			return nil
		},
		func(a record.Arm) string { return a.Target },
	},
	{
		"direction", "up (from here to the target) or down",
		func(a *record.Arm, v string) error {
			if !slices.Contains(record.Directions, record.Direction(v)) {
				return fmt.Errorf("%q is neither up nor down", v)
			}
			a.Direction = record.Direction(v)
			return nil
		},
		func(a record.Arm) string { return string(a.Direction) },
	},
}

func keyNames() string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return "keys are " + strings.Join(names, ", ")
}

// ParseArm reads an arm: KEY=VALUE,… with the keys cc, window, streams, target
// and direction, each at most once. The arm's Name is its text as FormatArm
// writes it. The error is a *ParseError.
func ParseArm(text string) (record.Arm, error) {
	var arm record.Arm
	seen := map[string]bool{}
	offset := 0
	for item := range strings.SplitSeq(text, ",") {
		name, value, err := splitItem(text, offset, item, seen)
		if err != nil {
			return record.Arm{}, err
		}
		if err := set(&arm, text, offset+len(name)+1, name, value); err != nil {
			return record.Arm{}, err
		}
		offset += len(item) + 1
	}
	arm.Name = FormatArm(arm)
	return arm, nil
}

// FormatArm is the inverse of ParseArm, the keys in a fixed order. An arm that
// leaves all to the hosts is the empty text.
func FormatArm(arm record.Arm) string {
	var items []string
	for _, k := range keys {
		if v := k.get(arm); v != "" {
			items = append(items, k.name+"="+v)
		}
	}
	return strings.Join(items, ",")
}

// Grid reads a full table: lists KEY=VALUE,VALUE,… separated by spaces, of
// which every combination is an arm. The last list varies fastest, so that the
// first arm has every list's first value. The error is a *ParseError.
func Grid(text string) ([]record.Arm, error) {
	arms := []record.Arm{{}}
	seen := map[string]bool{}
	offset := 0
	for list := range strings.SplitSeq(text, " ") {
		if list != "" {
			var err error
			if arms, err = spread(arms, text, offset, list, seen); err != nil {
				return nil, err
			}
		}
		offset += len(list) + 1
	}
	if len(seen) == 0 {
		return nil, &ParseError{text, 0, len(text), "the grid is empty", "such as cc=cubic,bbr direction=up,down; " + keyNames()}
	}
	for i := range arms {
		arms[i].Name = FormatArm(arms[i])
	}
	return arms, nil
}

// MaxArms is more than anyone has the time to compare; it keeps a mistyped
// grid from filling memory.
const MaxArms = 64

// spread gives every arm each of a list's values.
func spread(arms []record.Arm, text string, offset int, list string, seen map[string]bool) ([]record.Arm, error) {
	name, values, err := splitItem(text, offset, list, seen)
	if err != nil {
		return nil, err
	}
	var settings []record.Arm // of this key alone
	var out []record.Arm
	at := offset + len(name) + 1
	for value := range strings.SplitSeq(values, ",") {
		var one record.Arm
		if err := set(&one, text, at, name, value); err != nil {
			return nil, err
		}
		if slices.Contains(settings, one) {
			return nil, &ParseError{text, at, len(value), fmt.Sprintf("%q is given twice", value), "each value once"}
		}
		settings = append(settings, one)
		at += len(value) + 1
	}
	if len(arms)*len(settings) > MaxArms {
		return nil, &ParseError{text, offset, len(list), fmt.Sprintf("the grid has more than %d arms", MaxArms), "give fewer values"}
	}
	for _, arm := range arms {
		for _, one := range settings {
			out = append(out, merge(arm, one))
		}
	}
	return out, nil
}

// merge adds to an arm what another sets; they set different keys.
func merge(a, b record.Arm) record.Arm {
	return record.Arm{
		CC:        a.CC + b.CC,
		Window:    a.Window + b.Window,
		Streams:   a.Streams + b.Streams,
		Target:    a.Target + b.Target,
		Direction: a.Direction + b.Direction,
	}
}

// splitItem cuts KEY=VALUE and marks the key as seen.
func splitItem(text string, offset int, item string, seen map[string]bool) (name, value string, err error) {
	name, value, ok := strings.Cut(item, "=")
	switch {
	case !ok:
		return "", "", &ParseError{text, offset, len(item), fmt.Sprintf("%q is not KEY=VALUE", item), keyNames()}
	case !slices.ContainsFunc(keys, func(k key) bool { return k.name == name }):
		return "", "", &ParseError{text, offset, len(name), fmt.Sprintf("unknown key %q", name), keyNames()}
	case seen[name]:
		return "", "", &ParseError{text, offset, len(name), fmt.Sprintf("%q is given twice", name), "each key once"}
	}
	seen[name] = true
	return name, value, nil
}

// set gives an arm one value, which stands at the offset in the text.
func set(arm *record.Arm, text string, offset int, name, value string) error {
	k := keys[slices.IndexFunc(keys, func(k key) bool { return k.name == name })]
	err := k.set(arm, value)
	if value == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return &ParseError{text, offset, len(value), fmt.Sprintf("bad value for %s: %v", name, err), name + " takes " + k.allowed}
	}
	return nil
}

// CheckArms says whether arms can be compared: at least two, and no two the
// same unless the caller compares an arm with itself to check the tool (A/A).
func CheckArms(arms []record.Arm, identical bool) error {
	if len(arms) < 2 {
		return &armsError{fmt.Sprintf("%d arm is no comparison", len(arms)), "give two or more, the first is the baseline: --arm cc=cubic --arm cc=bbr"}
	}
	if len(arms) > MaxArms {
		return &armsError{fmt.Sprintf("%d arms are more than %d", len(arms), MaxArms), "compare fewer at a time"}
	}
	for i, arm := range arms {
		if first := slices.IndexFunc(arms, func(a record.Arm) bool { return same(a, arm) }); first < i && !identical {
			return &armsError{fmt.Sprintf("arms %d and %d are the same, %q", first+1, i+1, FormatArm(arm)), "arms must differ, unless you compare an arm with itself to check the tool"}
		}
	}
	return nil
}

type armsError struct{ problem, hint string }

func (e *armsError) Error() string { return e.problem }
func (e *armsError) Hint() string  { return e.hint }

// same says whether two arms ask for the same treatment.
func same(a, b record.Arm) bool {
	a.Name, b.Name = "", ""
	return a == b
}

// Labels names each arm by what differs between the arms: cc=cubic,streams=1
// and cc=bbr,streams=1 are cubic and bbr. What an arm leaves open is named
// after what it then is, where that is known, and else as the default.
func Labels(c *record.Comparison) []string {
	named := make([]string, len(c.Arms))
	for i, arm := range c.Arms {
		var parts []string
		for _, k := range keys {
			if slices.ContainsFunc(c.Arms, func(a record.Arm) bool { return k.get(a) != k.get(arm) }) {
				parts = append(parts, k.label(arm, c))
			}
		}
		named[i] = strings.Join(parts, " ")
	}
	// Arms that differ in nothing are told apart by their places.
	times := map[string]int{}
	for _, name := range named {
		times[name]++
	}
	for i, name := range named {
		if times[name] > 1 || name == "" {
			named[i] = fmt.Sprintf("arm %d", i+1)
			if what := cmp.Or(name, FormatArm(c.Arms[i])); what != "" {
				named[i] += " (" + what + ")"
			}
		}
	}
	return named
}

// label is a key's value in words.
func (k key) label(arm record.Arm, c *record.Comparison) string {
	value := k.get(arm)
	switch {
	case k.name == "target":
		return cmp.Or(value, c.Target)
	case value == "":
		return "default " + k.name
	case k.name == "streams" && arm.Streams == 1:
		return "1 stream"
	case k.name == "streams":
		return value + " streams"
	case k.name == "window":
		return "window " + value
	}
	return value
}
