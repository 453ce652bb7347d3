package grid

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/lab/traffic"
	"unchoke/internal/unit"
	"unchoke/internal/words"
)

// ArmKeys are the words of an arm, in their order of printing.
var ArmKeys = words.Keys[Arm]{
	{
		Name: "cc", Allowed: "the name of a congestion control such as cubic or bbr",
		Set:  func(a *Arm, v string) (err error) { a.CC, err = algorithm(v); return err },
		Text: func(a Arm) string { return a.CC },
	},
	{
		Name: "streams", Allowed: fmt.Sprintf("a number from 1 to %d", maxStreams),
		Set: func(a *Arm, v string) (err error) { a.Streams, err = ParseNumber(v, 1, maxStreams); return err },
		Text: func(a Arm) string {
			if a.Streams == 0 {
				return ""
			}
			return strconv.Itoa(a.Streams)
		},
	},
	{
		Name: "neighbor", Allowed: "the congestion control of a second bulk flow, or " + NoNeighbor,
		Set: func(a *Arm, v string) (err error) {
			if v == NoNeighbor {
				a.Neighbor = ""
				return nil
			}
			a.Neighbor, err = algorithm(v)
			return err
		},
		Text: func(a Arm) string { return a.Neighbor },
	},
}

// NoNeighbor is an arm without a second flow, as an axis names it.
const NoNeighbor = "none"

// maxStreams is as many as iperf3 runs in parallel.
const maxStreams = 128

// maxRun bounds a run's duration: a day of virtual time.
const maxRun = 24 * time.Hour

// maxBuffer is the largest SO_SNDBUF and SO_RCVBUF: the kernel doubles them
// into an int (socket(7)).
const maxBuffer = unit.GiB - 1

// TrafficKeys are the words of a load, in their order of printing.
var TrafficKeys = words.Keys[traffic.Spec]{
	{
		Name: "kind", Allowed: "paced, bulk or chunked",
		Set: func(s *traffic.Spec, v string) error {
			s.Kind = traffic.Kind(v)
			if !slices.Contains([]traffic.Kind{traffic.Paced, traffic.Bulk, traffic.Chunked}, s.Kind) {
				return fmt.Errorf("%q is not a kind of traffic", v)
			}
			return nil
		},
		Text: func(s traffic.Spec) string { return string(s.Kind) },
	},
	{
		Name: "rate", Allowed: "the rate that the sender offers, such as 10MiB/s or 8mbit",
		Set: func(s *traffic.Spec, v string) (err error) {
			s.Rate, err = unit.ParseBitRate(v)
			if err == nil && s.Rate < 8 {
				err = fmt.Errorf("%q is not a rate", v)
			}
			return err
		},
		Text: func(s traffic.Spec) string { return rateText(s.Rate) },
	},
	{
		Name: "write", Allowed: "the size of one write, such as 8KiB",
		Set:  func(s *traffic.Spec, v string) (err error) { s.Write, err = size(v, maxBuffer); return err },
		Text: func(s traffic.Spec) string { return sizeText(s.Write) },
	},
	{
		Name: "catch_up", Allowed: "true or false: whether the sender catches up after a stall",
		Set: func(s *traffic.Spec, v string) error {
			if v != "true" && v != "false" {
				return fmt.Errorf("%q is neither true nor false", v)
			}
			s.CatchUp = v == "true"
			return nil
		},
		Text: func(s traffic.Spec) string {
			if !s.CatchUp {
				return ""
			}
			return "true"
		},
	},
	durationKey("chunk", "the playing time of one chunk, such as 4s", func(s *traffic.Spec) *time.Duration { return &s.Chunk }),
	sizeKey("send_buffer", "SO_SNDBUF in bytes, such as 1MiB", func(s *traffic.Spec) *unit.Size { return &s.SendBuffer }),
	sizeKey("receive_buffer", "SO_RCVBUF in bytes, such as 256KiB", func(s *traffic.Spec) *unit.Size { return &s.ReceiveBuffer }),
	sizeKey("read", "the size of one read, such as 16KiB", func(s *traffic.Spec) *unit.Size { return &s.Read }),
	durationKey("read_every", "the pause before each read, such as 1ms", func(s *traffic.Spec) *time.Duration { return &s.ReadEvery }),
	durationKey("duration", "how long a run lasts, such as 10s", func(s *traffic.Spec) *time.Duration { return &s.Duration }),
	durationKey("omit", "what is left out at the beginning, such as 2s", func(s *traffic.Spec) *time.Duration { return &s.Omit }),
}

func sizeKey(name, allowed string, field func(*traffic.Spec) *unit.Size) words.Key[traffic.Spec] {
	return words.Key[traffic.Spec]{
		Name: name, Allowed: allowed,
		Set:  func(s *traffic.Spec, v string) (err error) { *field(s), err = size(v, maxBuffer); return err },
		Text: func(s traffic.Spec) string { return sizeText(*field(&s)) },
	}
}

func durationKey(name, allowed string, field func(*traffic.Spec) *time.Duration) words.Key[traffic.Spec] {
	return words.Key[traffic.Spec]{
		Name: name, Allowed: allowed,
		Set: func(s *traffic.Spec, v string) (err error) { *field(s), err = ParseDuration(v); return err },
		Text: func(s traffic.Spec) string {
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
		return "", fmt.Errorf("%q is not the name of a congestion control", v)
	}
	return v, nil
}

func ParseNumber(v string, least, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a number from %d to %d", v, least, most)
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

func ParseDuration(v string) (time.Duration, error) {
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
func TrafficText(s traffic.Spec) string { return TrafficKeys.Text(s) }

// ParseTraffic reads what TrafficText wrote.
func ParseTraffic(v string) (traffic.Spec, error) { return parse(TrafficKeys, "traffic", v) }

// String is the arm as text, cc=bbr,streams=4: ParseArm gives the same value
// back. An arm of the hosts' defaults alone is empty.
func (a Arm) String() string { return ArmKeys.Text(a) }

// ParseArm reads what Arm.String wrote.
func ParseArm(v string) (Arm, error) { return parse(ArmKeys, "arm", v) }

func parse[T any](keys words.Keys[T], what, v string) (T, error) {
	if v == "" {
		var zero T
		return zero, nil
	}
	return keys.Parse(what, v)
}
