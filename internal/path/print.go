package path

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// String is the path's text: what both directions share first, then what is
// peculiar to one. Parse gives the same value back.
func (p Path) String() string {
	out := merge(p.Up.items(), p.Down.items())
	if p.Tunnel != "" {
		out = append(out, "tunnel="+string(p.Tunnel))
	}
	if p.MTU != 0 {
		out = append(out, "mtu="+strconv.Itoa(p.MTU))
	}
	out = append(out, merge(p.Up.hole(), p.Down.hole())...)
	if p.Schedule != (Schedule{}) {
		out = append(out, "schedule="+p.Schedule.String())
	}
	return strings.Join(out, ",")
}

// MarshalText and UnmarshalText make a Path a string in JSON and YAML.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (p *Path) UnmarshalText(text []byte) error {
	v, err := Parse(string(text))
	if err == nil {
		*p = v
	}
	return err
}

type item struct{ key, value string }

func (i item) text(prefix string) string {
	if i.value == "" {
		return ""
	}
	return prefix + i.key + "=" + i.value
}

// merge is the words of both directions: what they share first.
func merge(up, down []item) []string {
	var out []string
	for i, u := range up {
		texts := []string{u.text("")}
		if u != down[i] {
			texts = []string{u.text("up."), down[i].text("down.")}
		}
		for _, text := range texts {
			if text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

// items lists a direction's keys in their order of printing, the values that
// need no words empty.
func (d Direction) items() []item {
	var jitter, dist, order, rate, udpRate string
	if d.Jitter > 0 {
		jitter = d.Jitter.String()
	}
	if d.Dist != Normal {
		dist = string(d.Dist)
	}
	if d.Order != Keep {
		order = string(d.Order)
	}
	if d.Rate > 0 {
		rate = d.Rate.String()
	}
	if d.UDP.Rate > 0 {
		udpRate = d.UDP.Rate.String()
	}
	return []item{
		{"rtt", delayText(d.Delay)},
		{"jitter", jitter},
		{"dist", dist},
		{"order", order},
		{"loss", d.Loss.String()},
		{"rate", rate},
		{"queue", d.Queue.String()},
		{"cross", d.Cross.String()},
		{"policer", d.Policer.String()},
		{"udp.loss", d.UDP.Loss.String()},
		{"udp.rate", udpRate},
		{"udp.policer", d.UDP.Policer.String()},
		{"sqm", d.SQM.String()},
	}
}

// hole is the word of a direction where what is too big vanishes.
func (d Direction) hole() []item {
	if !d.NoPMTUD {
		return []item{{key: "pmtud"}}
	}
	return []item{{"pmtud", "off"}}
}

func delayText(delay time.Duration) string {
	if delay == 0 {
		return ""
	}
	return (2 * delay).String()
}

// String is the value of the key loss, empty for none.
func (l Loss) String() string {
	switch {
	case l.Burst:
		s := fmt.Sprintf("ge:%v:%v", l.P, l.R)
		if l.Bad != 1 || l.Good != 0 {
			s += ":" + l.Bad.String()
		}
		if l.Good != 0 {
			s += ":" + l.Good.String()
		}
		return s
	case l.P > 0:
		return l.P.String()
	}
	return ""
}

// String is the value of the key queue, empty for the default.
func (q Queue) String() string {
	switch {
	case q.Bytes > 0:
		return q.Bytes.String()
	case q.Packets > 0:
		return strconv.Itoa(q.Packets) + "p"
	case q.BDP > 0:
		return strconv.FormatFloat(q.BDP, 'f', -1, 64) + "bdp"
	}
	return string(q.AQM)
}

// String is the value of the key policer, empty for none.
func (p Policer) String() string {
	if p == (Policer{}) {
		return ""
	}
	return p.Rate.String() + ":" + p.Burst.String()
}
