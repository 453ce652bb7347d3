package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/lab/traffic"
	"unchoke/internal/unit"
)

// key is one word of the text form of a T: how its value is read and printed.
type key[T any] struct {
	name    string
	allowed string // what an error shows
	set     func(*T, string) error
	text    func(T) string // empty for the zero value
}

// armKeys are the words of an arm, in their order of printing.
var armKeys = []key[Arm]{
	{
		"cc", "the name of a congestion control such as cubic or bbr",
		func(a *Arm, v string) (err error) { a.CC, err = algorithm(v); return err },
		func(a Arm) string { return a.CC },
	},
	{
		"streams", fmt.Sprintf("a number from 1 to %d", maxStreams),
		func(a *Arm, v string) (err error) { a.Streams, err = number(v, 1, maxStreams); return err },
		func(a Arm) string {
			if a.Streams == 0 {
				return ""
			}
			return strconv.Itoa(a.Streams)
		},
	},
	{
		"neighbor", "the congestion control of a second bulk flow, or " + noNeighbor,
		func(a *Arm, v string) (err error) {
			if v == noNeighbor {
				a.Neighbor = ""
				return nil
			}
			a.Neighbor, err = algorithm(v)
			return err
		},
		func(a Arm) string { return a.Neighbor },
	},
}

// noNeighbor is an arm without a second flow, as an axis names it.
const noNeighbor = "none"

// maxStreams is as many as iperf3 runs in parallel.
const maxStreams = 128

// maxRun bounds a run's duration: a day of virtual time.
const maxRun = 24 * time.Hour

// maxBuffer is the largest SO_SNDBUF and SO_RCVBUF: the kernel doubles them
// into an int (socket(7)).
const maxBuffer = unit.GiB - 1

// trafficKeys are the words of a load, in their order of printing.
var trafficKeys = []key[traffic.Spec]{
	{
		"kind", "paced, bulk or chunked",
		func(s *traffic.Spec, v string) error {
			s.Kind = traffic.Kind(v)
			if !slices.Contains([]traffic.Kind{traffic.Paced, traffic.Bulk, traffic.Chunked}, s.Kind) {
				return fmt.Errorf("%q is no kind of traffic", v)
			}
			return nil
		},
		func(s traffic.Spec) string { return string(s.Kind) },
	},
	{
		"rate", "the rate that the sender offers, such as 10MiB/s or 8mbit",
		func(s *traffic.Spec, v string) (err error) {
			s.Rate, err = unit.ParseBitRate(v)
			if err == nil && s.Rate < 8 {
				err = fmt.Errorf("%q is no rate", v)
			}
			return err
		},
		func(s traffic.Spec) string { return rateText(s.Rate) },
	},
	{
		"write", "the bytes of one write, such as 8KiB",
		func(s *traffic.Spec, v string) (err error) { s.Write, err = size(v, maxBuffer); return err },
		func(s traffic.Spec) string { return sizeText(s.Write) },
	},
	{
		"catch_up", "true or false: whether the sender makes up for a stall",
		func(s *traffic.Spec, v string) error {
			if v != "true" && v != "false" {
				return fmt.Errorf("%q is neither true nor false", v)
			}
			s.CatchUp = v == "true"
			return nil
		},
		func(s traffic.Spec) string {
			if !s.CatchUp {
				return ""
			}
			return "true"
		},
	},
	durationKey("chunk", "the playing time of one chunk, such as 4s", func(s *traffic.Spec) *time.Duration { return &s.Chunk }),
	sizeKey("send_buffer", "SO_SNDBUF in bytes, such as 1MiB", func(s *traffic.Spec) *unit.Size { return &s.SendBuffer }),
	sizeKey("receive_buffer", "SO_RCVBUF in bytes, such as 256KiB", func(s *traffic.Spec) *unit.Size { return &s.ReceiveBuffer }),
	sizeKey("read", "the bytes of one read, such as 16KiB", func(s *traffic.Spec) *unit.Size { return &s.Read }),
	durationKey("read_every", "the rest before each read, such as 1ms", func(s *traffic.Spec) *time.Duration { return &s.ReadEvery }),
	durationKey("duration", "how long a run lasts, such as 10s", func(s *traffic.Spec) *time.Duration { return &s.Duration }),
	durationKey("omit", "what is left out at the beginning, such as 2s", func(s *traffic.Spec) *time.Duration { return &s.Omit }),
}

func sizeKey(name, allowed string, field func(*traffic.Spec) *unit.Size) key[traffic.Spec] {
	return key[traffic.Spec]{
		name, allowed,
		func(s *traffic.Spec, v string) (err error) { *field(s), err = size(v, maxBuffer); return err },
		func(s traffic.Spec) string { return sizeText(*field(&s)) },
	}
}

func durationKey(name, allowed string, field func(*traffic.Spec) *time.Duration) key[traffic.Spec] {
	return key[traffic.Spec]{
		name, allowed,
		func(s *traffic.Spec, v string) (err error) { *field(s), err = duration(v); return err },
		func(s traffic.Spec) string {
			if *field(&s) == 0 {
				return ""
			}
			return field(&s).String()
		},
	}
}

// algorithm checks what could be the name of a congestion control. Which names
// there are, a kernel says.
func algorithm(v string) (string, error) {
	const maxName = 15 // TCP_CA_NAME_MAX less its NUL
	if v == "" || len(v) > maxName || strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return "", fmt.Errorf("%q is no name of a congestion control", v)
	}
	return v, nil
}

func number(v string, least, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is no number from %d to %d", v, least, most)
	}
	return n, nil
}

func size(v string, most unit.Size) (unit.Size, error) {
	s, err := unit.ParseSize(v)
	if err == nil && (s < 1 || s > most) {
		err = fmt.Errorf("%q is not between 1 byte and %v", v, most.Human())
	}
	return s, err
}

func duration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a duration", v)
	case d < 0 || d > maxRun:
		return 0, fmt.Errorf("%q is not between 0s and %v", v, maxRun)
	}
	return d, nil
}

// rateText prints a rate in bytes a second where that is how it was meant:
// 10MiB/s is 83886080bit.
func rateText(r unit.BitRate) string {
	for _, u := range []struct {
		bits unit.BitRate
		name string
	}{{8 << 30, "GiB/s"}, {8 << 20, "MiB/s"}, {8 << 10, "KiB/s"}} {
		if r > 0 && r%u.bits == 0 && r%unit.Mbit != 0 {
			return strconv.FormatInt(int64(r/u.bits), 10) + u.name
		}
	}
	if r == 0 {
		return ""
	}
	return r.String()
}

func sizeText(s unit.Size) string {
	if s == 0 {
		return ""
	}
	return s.String()
}

// TrafficText is a load as text, kind=paced,rate=10MiB/s,…; ParseTraffic gives
// the same value back.
func TrafficText(s traffic.Spec) string { return text(trafficKeys, s) }

// ParseTraffic reads what TrafficText wrote.
func ParseTraffic(v string) (traffic.Spec, error) {
	s, err := parse(trafficKeys, v)
	if err != nil {
		return s, fmt.Errorf("traffic: %w", err)
	}
	return s, nil
}

// String is the arm as text, cc=bbr,streams=4: ParseArm gives the same value
// back. An arm of the hosts' defaults alone is empty.
func (a Arm) String() string { return text(armKeys, a) }

// ParseArm reads what Arm.String wrote.
func ParseArm(v string) (Arm, error) {
	a, err := parse(armKeys, v)
	if err != nil {
		return a, fmt.Errorf("arm: %w", err)
	}
	return a, nil
}

func text[T any](keys []key[T], v T) string {
	var out []string
	for _, k := range keys {
		if t := k.text(v); t != "" {
			out = append(out, k.name+"="+t)
		}
	}
	return strings.Join(out, ",")
}

func parse[T any](keys []key[T], v string) (T, error) {
	var out T
	if v == "" {
		return out, nil
	}
	for item := range strings.SplitSeq(v, ",") {
		name, value, _ := strings.Cut(item, "=")
		i := slices.IndexFunc(keys, func(k key[T]) bool { return k.name == name })
		if i < 0 {
			return out, fmt.Errorf("unknown key %q", name)
		}
		if err := keys[i].set(&out, value); err != nil {
			return out, fmt.Errorf("bad value for %s: %w", name, err)
		}
	}
	return out, nil
}

func names[T any](keys []key[T]) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.name
	}
	return out
}
