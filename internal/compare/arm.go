package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/unit"
	"unchoke/internal/words"
)

// ParseError says what is wrong where in the text of an arm or a grid.
type ParseError = words.Error

// MaxStreams is the most parallel streams that stock iperf3 runs
// (MAX_STREAMS in its iperf.h).
const MaxStreams = 128

// maxCCName is the longest name of a congestion control: TCP_CA_NAME_MAX of
// the kernel, less the terminating NUL.
const maxCCName = 15

// maxWindow is what the socket options can express: an int.
const maxWindow = 2*unit.GiB - 1

// keys in the order in which an arm is printed.
var keys = words.Keys[record.Arm]{
	{
		Name: "cc", Allowed: "the name of a congestion control, such as bbr",
		Set: func(a *record.Arm, v string) error {
			if len(v) > maxCCName || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
				return fmt.Errorf("%q is not the name of a congestion control", v)
			}
			a.CC = v
			return nil
		},
		Text: func(a record.Arm) string { return a.CC },
	},
	{
		Name: "window", Allowed: "a socket buffer's size, such as 512KiB",
		Set: func(a *record.Arm, v string) error {
			size, err := unit.ParseSize(v)
			if err == nil && (size < 1 || size > maxWindow) {
				err = fmt.Errorf("%q is not between 1 byte and 2 GiB", v)
			}
			a.Window = int64(size)
			return err
		},
		Text: func(a record.Arm) string {
			if a.Window == 0 {
				return ""
			}
			return unit.Size(a.Window).String()
		},
	},
	{
		Name: "streams", Allowed: fmt.Sprintf("a number from 1 to %d", MaxStreams),
		Set: func(a *record.Arm, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > MaxStreams {
				return fmt.Errorf("%q is not a number of streams", v)
			}
			a.Streams = n
			return nil
		},
		Text: func(a record.Arm) string {
			if a.Streams == 0 {
				return ""
			}
			return strconv.Itoa(a.Streams)
		},
	},
	{
		Name: "target", Allowed: "host, host:port or a URL, without commas and spaces",
		Set: func(a *record.Arm, v string) error {
			if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
				return fmt.Errorf("%q holds a space or a control character", v)
			}
			a.Target = v
			return nil
		},
		Text: func(a record.Arm) string { return a.Target },
	},
	{
		Name: "direction", Allowed: "up (from here to the target) or down",
		Set: func(a *record.Arm, v string) error {
			if !slices.Contains(record.Directions, record.Direction(v)) {
				return fmt.Errorf("%q is neither up nor down", v)
			}
			a.Direction = record.Direction(v)
			return nil
		},
		Text: func(a record.Arm) string { return string(a.Direction) },
	},
}

// pathKeys are those of an arm of a path that is known.
var pathKeys = keys.Without("target")

// ParseArm reads an arm: KEY=VALUE,… with the keys cc, window, streams, target
// and direction, each at most once. The arm's Name is its text as FormatArm
// writes it. The error is a *ParseError.
func ParseArm(text string) (record.Arm, error) { return parseArm(keys, "arm", text) }

// ParsePathArm reads an arm of a path that is known, which has no target of its own: that is
// another path.
func ParsePathArm(text string) (record.Arm, error) {
	return parseArm(pathKeys, "arm of a measured path", text)
}

// ArmKeys and PathArmKeys are the keys that ParseArm and ParsePathArm read.
func ArmKeys() []string     { return keys.Names() }
func PathArmKeys() []string { return pathKeys.Names() }

func parseArm(keys words.Keys[record.Arm], what, text string) (record.Arm, error) {
	arm, err := keys.Parse(what, text)
	if err != nil {
		return record.Arm{}, err
	}
	arm.Name = FormatArm(arm)
	return arm, nil
}

// FormatArm is the inverse of ParseArm, the keys in a fixed order. An arm that
// leaves all to the hosts is the empty text.
func FormatArm(arm record.Arm) string { return keys.Text(arm) }

// Grid reads a full table: lists KEY=VALUE,VALUE,… separated by spaces, of
// which every combination is an arm. The last list varies fastest, so that the
// first arm has every list's first value. The error is a *ParseError.
func Grid(text string) ([]record.Arm, error) {
	arms := []record.Arm{{}}
	r := keys.Reader("arm", text)
	offset, lists := 0, 0
	for list := range strings.SplitSeq(text, " ") {
		if list != "" {
			var err error
			if arms, err = spread(arms, r, offset, list); err != nil {
				return nil, err
			}
			lists++
		}
		offset += len(list) + 1
	}
	if lists == 0 {
		return nil, r.Errorf(0, len(text), "such as cc=cubic,bbr direction=up,down; keys are "+strings.Join(keys.Names(), ", "), "the grid is empty")
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
func spread(arms []record.Arm, r *words.Reader[record.Arm], offset int, list string) ([]record.Arm, error) {
	k, values, err := r.Cut(offset, list)
	if err != nil {
		return nil, err
	}
	var settings []record.Arm // of this key alone
	var out []record.Arm
	at := offset + len(k.Name) + 1
	for value := range strings.SplitSeq(values, ",") {
		var one record.Arm
		if err := r.Set(&one, k, at, value); err != nil {
			return nil, err
		}
		if slices.Contains(settings, one) {
			return nil, r.Errorf(at, len(value), "each value once", "%q is given twice", value)
		}
		settings = append(settings, one)
		at += len(value) + 1
	}
	if len(arms)*len(settings) > MaxArms {
		return nil, r.Errorf(offset, len(list), "give fewer values", "the grid has more than %d arms", MaxArms)
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

// CheckArms says whether arms can be compared: at least two, and no two the
// same unless the caller compares an arm with itself to check the tool (A/A).
func CheckArms(arms []record.Arm, identical bool) error {
	if len(arms) < 2 {
		return hint.With(errors.New("a comparison needs two arms or more"), "the first is the baseline: --arm cc=cubic --arm cc=bbr")
	}
	if len(arms) > MaxArms {
		return hint.With(fmt.Errorf("%d arms are more than %d", len(arms), MaxArms), "compare fewer at a time")
	}
	for i, arm := range arms {
		if first := slices.IndexFunc(arms, func(a record.Arm) bool { return same(a, arm) }); first < i && !identical {
			return hint.With(fmt.Errorf("arms %d and %d are the same, %q", first+1, i+1, FormatArm(arm)), "arms must differ; --identical compares an arm with itself, to see what chance alone does")
		}
	}
	return nil
}

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
			if slices.ContainsFunc(c.Arms, func(a record.Arm) bool { return k.Text(a) != k.Text(arm) }) {
				parts = append(parts, label(k, arm, c))
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
func label(k words.Key[record.Arm], arm record.Arm, c *record.Comparison) string {
	value := k.Text(arm)
	switch {
	case k.Name == "target":
		return cmp.Or(value, c.Target)
	case value == "":
		return "default " + k.Name
	case k.Name == "streams" && arm.Streams == 1:
		return "1 stream"
	case k.Name == "streams":
		return value + " streams"
	case k.Name == "window":
		return "window " + value
	}
	return value
}
