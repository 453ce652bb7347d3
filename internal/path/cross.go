package path

import (
	"fmt"
	"strconv"
	"strings"

	"unchoke/internal/unit"
)

// Cross is other traffic through a direction's bottleneck, from a host beside
// the sender to one beside the receiver: TCP streams that send what they can,
// UDP at a rate, or several of these. The zero value is none.
//
// Two are equal, also by ==, if their loads are, in the same order.
type Cross struct {
	text string // as parseCross reads it and String gives it
}

// Load is a part of the other traffic: TCP streams of one congestion control,
// or UDP at a rate.
type Load struct {
	Streams int
	CC      string
	UDP     unit.BitRate // link-layer frames; where not 0, there are no streams
}

// String is the load's text: 4xcubic, 50mbit.
func (l Load) String() string {
	if l.UDP > 0 {
		return l.UDP.String()
	}
	return fmt.Sprintf("%dx%s", l.Streams, l.CC)
}

// Loads are the parts, in their order.
func (c Cross) Loads() []Load {
	loads, err := readLoads(c.text)
	if err != nil {
		panic(err) // the text was written from loads
	}
	return loads
}

// String is the value of the key cross, empty for none.
func (c Cross) String() string { return c.text }

const (
	crossAllowed = "TCP streams such as 4xcubic or 2xbbr, a rate of UDP such as 50mbit, several of them as in 2xcubic+5mbit, or none"
	noCross      = "none"
	maxStreams   = 64 // of one load: more than share any line at a time
)

// parseCross reads the value of the key cross. An error that concerns one of
// several loads is a *partError.
func parseCross(v string) (Cross, error) {
	if v == noCross {
		return Cross{}, nil
	}
	if v == "" {
		return Cross{}, fmt.Errorf("%q is not cross traffic", v)
	}
	loads, err := readLoads(v)
	if err != nil {
		return Cross{}, err
	}
	texts := make([]string, len(loads))
	for i, l := range loads {
		texts[i] = l.String()
	}
	return Cross{strings.Join(texts, "+")}, nil
}

func readLoads(v string) ([]Load, error) {
	if v == "" {
		return nil, nil
	}
	var loads []Load
	offset := 0
	for text := range strings.SplitSeq(v, "+") {
		l, err := parseLoad(text)
		if err != nil {
			return nil, &partError{offset, len(text), err.Error(), "cross takes " + crossAllowed}
		}
		loads = append(loads, l)
		offset += len(text) + 1
	}
	return loads, nil
}

// streams splits a number of TCP streams from their congestion control, whose
// name the kernel keeps in 16 bytes (TCP_CA_NAME_MAX): 2xcubic.
func streams(text string) (number, cc string, ok bool) {
	number, cc, ok = strings.Cut(text, "x")
	digits := strings.Trim(number, "0123456789") == ""
	name := strings.Trim(cc, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && len(cc) < 16
	return number, cc, ok && digits && number != "" && name && cc != "" && cc[0] >= 'a' && cc[0] <= 'z'
}

func parseLoad(text string) (Load, error) {
	if number, cc, ok := streams(text); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > maxStreams {
			return Load{}, fmt.Errorf("%q is not between 1 and %d streams", text, maxStreams)
		}
		return Load{Streams: n, CC: cc}, nil
	}
	rate, err := positiveRate(text)
	if err != nil {
		return Load{}, fmt.Errorf("%q is neither streams nor a rate", text)
	}
	return Load{UDP: rate}, nil
}

// crosses says whether other traffic goes through a bottleneck at some time.
func (p Path) crosses() (up, down bool) {
	up, down = p.Up.Cross != Cross{}, p.Down.Cross != Cross{}
	for _, e := range p.Schedule.Episodes() {
		up, down = up || e.Up.crosses(), down || e.Down.crosses()
	}
	return up, down
}

// Crossed says whether other traffic shares the path at some time.
func (p Path) Crossed() bool {
	up, down := p.crosses()
	return up || down
}

func (c Change) crosses() bool { return c.Cross != nil && *c.Cross != Cross{} }
