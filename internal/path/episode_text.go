package path

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// EpisodeKeys are the words of an episode: its times, and then what it can
// change, for both directions and for one.
func EpisodeKeys() []string {
	var times, both, one []string
	for _, k := range episodeKeys {
		if k.change == nil {
			times = append(times, k.name)
			continue
		}
		both = append(both, k.name)
		one = append(one, "up."+k.name, "down."+k.name)
	}
	return slices.Concat(times, both, one)
}

// episodeKey is one word of an episode. Exactly one of time and change is set:
// the latter may carry the prefix up. or down.
type episodeKey struct {
	name    string
	allowed string
	time    func(*Episode) *time.Duration
	change  func(*Change, string) error
}

var episodeKeys = []episodeKey{
	{"at", "a time such as 5s, from time zero; without it the first episode starts after one every", func(e *Episode) *time.Duration { return &e.At }, nil},
	{"every", "a time such as 15s, from one start to the next", func(e *Episode) *time.Duration { return &e.Every }, nil},
	{"for", "a time such as 200ms", func(e *Episode) *time.Duration { return &e.For }, nil},
	{"rtt", "a duration such as 80ms, or one to add such as +50ms", nil, func(c *Change, v string) error {
		rtt, err := duration(v)
		switch {
		case err != nil:
			return err
		case !strings.HasPrefix(v, "+"):
			delay := rtt / 2
			c.Delay, c.Longer = &delay, 0
		case rtt == 0:
			return fmt.Errorf("%q adds nothing", v)
		default:
			c.Delay, c.Longer = nil, rtt/2
		}
		return nil
	}},
	{"jitter", "a duration such as 40ms: the standard deviation of the delay of each direction", nil, func(c *Change, v string) error {
		if strings.HasPrefix(v, "+") {
			return fmt.Errorf("%q: only the rtt can be added to", v)
		}
		jitter, err := duration(v)
		c.Jitter = &jitter
		return err
	}},
	{"loss", lossAllowed, nil, func(c *Change, v string) error {
		loss, err := parseLoss(v)
		c.Loss = &loss
		return err
	}},
	{"rate", "a bit rate such as 20mbit, where the path has one", nil, func(c *Change, v string) (err error) {
		c.Rate, err = positiveRate(v)
		return err
	}},
	{"udp.loss", lossAllowed, nil, func(c *Change, v string) error {
		loss, err := parseLoss(v)
		c.UDPLoss = &loss
		return err
	}},
	{"udp.rate", "a bit rate such as 1mbit, where the path has one for UDP", nil, func(c *Change, v string) (err error) {
		c.UDPRate, err = positiveRate(v)
		return err
	}},
	{"cross", crossAllowed, nil, func(c *Change, v string) error {
		cross, err := parseCross(v)
		c.Cross = &cross
		return err
	}},
}

// Word is a key of an episode with its value.
type Word struct{ Key, Value string }

// WordError is a word that does not belong in an episode.
type WordError struct {
	Word    int  // its index
	Value   bool // its value is wrong, not the key
	Problem string
	Allowed string // what would have been right
}

func (e *WordError) Error() string { return e.Problem }

// Hint says what is allowed.
func (e *WordError) Hint() string { return e.Allowed }

const scheduleAllowed = "episodes such as every 15s for 200ms rtt=+50ms loss=1%, or at 30s rate=20mbit, with ; between two of them"

// ParseEpisode makes an episode of its words. Those for one direction are
// taken after those for both, wherever they stand. An error of one word is a
// *WordError.
func ParseEpisode(words []Word) (Episode, error) {
	var e Episode
	given := map[string]bool{}
	for i, w := range words {
		if given[w.Key] {
			return e, &WordError{i, false, fmt.Sprintf("%q is given twice", w.Key), "each key once"}
		}
		given[w.Key] = true
		if !slices.Contains(EpisodeKeys(), w.Key) {
			return e, &WordError{i, false, fmt.Sprintf("unknown key %q of an episode", w.Key), "keys are " + strings.Join(EpisodeKeys(), ", ")}
		}
	}
	for _, oneWay := range []bool{false, true} {
		for i, w := range words {
			base := strings.TrimPrefix(strings.TrimPrefix(w.Key, "up."), "down.")
			if (base != w.Key) != oneWay {
				continue
			}
			k := episodeKeys[slices.IndexFunc(episodeKeys, func(k episodeKey) bool { return k.name == base })]
			if err := k.set(&e, w); err != nil {
				return e, &WordError{i, true, fmt.Sprintf("bad value for %s: %v", w.Key, err), base + " takes " + k.allowed}
			}
		}
	}
	if !given["at"] {
		if !given["every"] {
			return e, fmt.Errorf("an episode needs at (when) or every (how often)")
		}
		e.At = e.Every
	}
	return e, e.check()
}

func (k episodeKey) set(e *Episode, w Word) error {
	if k.time != nil {
		at, err := time.ParseDuration(w.Value)
		if err != nil {
			return fmt.Errorf("%q is not a duration", w.Value)
		}
		if at < 0 || at > maxEpisode || at == 0 && k.name != "at" {
			return fmt.Errorf("%q is not between %v and %v", w.Value, minEpisode, maxEpisode)
		}
		*k.time(e) = at
		return nil
	}
	directions := []*Change{&e.Up, &e.Down}
	if strings.HasPrefix(w.Key, "up.") {
		directions = directions[:1]
	} else if strings.HasPrefix(w.Key, "down.") {
		directions = directions[1:]
	}
	for _, c := range directions {
		if err := k.change(c, w.Value); err != nil {
			return err
		}
	}
	return nil
}

// ParseSchedule reads the value of the key schedule: episodes with semicolons
// between them, each of words with blanks between them, such as
// `every 15s for 200ms rtt=+50ms; at 30s rate=20mbit`, or none. An error that
// concerns a part of it is a *partError.
func ParseSchedule(v string) (Schedule, error) {
	if v == noSchedule {
		return Schedule{}, nil
	}
	if strings.TrimSpace(v) == "" {
		return Schedule{}, fmt.Errorf("%q has no episode", v)
	}
	episodes, err := readEpisodes(v)
	if err != nil {
		return Schedule{}, err
	}
	return NewSchedule(episodes...)
}

// noSchedule is a path whose conditions stay, as an axis names it.
const noSchedule = "none"

// partError is what is wrong in a part of a value.
type partError struct {
	offset, length int // in bytes
	problem        string
	allowed        string
}

func (e *partError) Error() string { return e.problem }

func readEpisodes(v string) ([]Episode, error) {
	if v == "" {
		return nil, nil
	}
	var episodes []Episode
	offset := 0
	for text := range strings.SplitSeq(v, ";") {
		e, err := readEpisode(text)
		if err != nil {
			part, ok := errors.AsType[*partError](err)
			if !ok {
				trimmed := strings.TrimLeft(text, " ")
				part = &partError{len(text) - len(trimmed), len(strings.TrimRight(trimmed, " ")), err.Error(), scheduleAllowed}
			}
			part.offset += offset
			return nil, part
		}
		episodes = append(episodes, e)
		offset += len(text) + 1
	}
	return episodes, nil
}

// readEpisode reads the words of one episode: at T, every T, for T and
// KEY=VALUE.
func readEpisode(text string) (Episode, error) {
	type span struct{ from, to int }
	var words []Word
	var keys, values []span
	fields := fieldsOf(text)
	for i := 0; i < len(fields); i++ {
		from, to := fields[i][0], fields[i][1]
		field := text[from:to]
		key, value, hasValue := strings.Cut(field, "=")
		isTime := slices.ContainsFunc(episodeKeys, func(k episodeKey) bool { return k.time != nil && k.name == field })
		switch {
		case isTime && i+1 < len(fields):
			i++
			words = append(words, Word{field, text[fields[i][0]:fields[i][1]]})
			keys, values = append(keys, span{from, to}), append(values, span{fields[i][0], fields[i][1]})
		case isTime:
			return Episode{}, &partError{from, to - from, fmt.Sprintf("%q has no time", field), scheduleAllowed}
		case !hasValue:
			return Episode{}, &partError{from, to - from, fmt.Sprintf("%q is not KEY=VALUE", field), scheduleAllowed}
		default:
			words = append(words, Word{key, value})
			keys, values = append(keys, span{from, from + len(key)}), append(values, span{from + len(key) + 1, to})
		}
	}
	e, err := ParseEpisode(words)
	if wrong, ok := errors.AsType[*WordError](err); ok {
		at := keys[wrong.Word]
		if wrong.Value {
			at = values[wrong.Word]
		}
		return e, &partError{at.from, at.to - at.from, wrong.Problem, wrong.Allowed}
	}
	return e, err
}

// fieldsOf finds where the words between blanks begin and end.
func fieldsOf(text string) [][2]int {
	var out [][2]int
	for from := 0; from < len(text); {
		if text[from] == ' ' {
			from++
			continue
		}
		to := from
		for to < len(text) && text[to] != ' ' {
			to++
		}
		out = append(out, [2]int{from, to})
		from = to
	}
	return out
}

// writeEpisodes is the text of episodes: readEpisodes gives them back.
func writeEpisodes(episodes []Episode) string {
	texts := make([]string, len(episodes))
	for i, e := range episodes {
		texts[i] = e.String()
	}
	return strings.Join(texts, "; ")
}

// String is the episode's text, such as `every 15s for 200ms rtt=+50ms`.
func (e Episode) String() string {
	var words []string
	if e.Every == 0 || e.At != e.Every {
		words = append(words, "at", e.At.String())
	}
	if e.Every > 0 {
		words = append(words, "every", e.Every.String())
	}
	if e.For > 0 {
		words = append(words, "for", e.For.String())
	}
	return strings.Join(append(words, merge(e.Up.items(), e.Down.items())...), " ")
}

// items lists a change's keys in their order of printing, those that stay
// empty.
func (c Change) items() []item {
	var rtt, jitter, rate, udpRate, cross string
	if c.Delay != nil {
		rtt = (2 * *c.Delay).String()
	}
	if c.Longer > 0 {
		rtt = "+" + (2 * c.Longer).String()
	}
	if c.Jitter != nil {
		jitter = c.Jitter.String()
	}
	if c.Rate > 0 {
		rate = c.Rate.String()
	}
	if c.UDPRate > 0 {
		udpRate = c.UDPRate.String()
	}
	if c.Cross != nil {
		if cross = c.Cross.String(); cross == "" {
			cross = noCross
		}
	}
	return []item{{"rtt", rtt}, {"jitter", jitter}, {"loss", textOf(c.Loss)}, {"rate", rate}, {"udp.loss", textOf(c.UDPLoss)}, {"udp.rate", udpRate}, {"cross", cross}}
}

// textOf is a loss that an episode sets, empty where it sets none.
func textOf(l *Loss) string {
	switch {
	case l == nil:
		return ""
	case *l == Loss{}:
		return l.P.String()
	}
	return l.String()
}
