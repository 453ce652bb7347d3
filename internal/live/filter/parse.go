package filter

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"unchoke/internal/live"
	"unchoke/internal/words"
)

// Names look up what a filter may name; where one is nil, there are no such
// names.
type Names struct {
	Port func(service string) (uint16, error)
	Host func(name string) ([]netip.Addr, error)
}

// Parse reads a filter; of an empty text, one that lets everything through.
// Errors are *words.Error.
func Parse(text string, names Names) (Filter, error) {
	p := parser{text: text, names: names}
	var unclosed int
	if p.tokens, unclosed = tokens(text); unclosed >= 0 {
		return Filter{}, p.fault(unclosed, len(text), "", "this quote is not closed")
	}
	if len(p.tokens) == 0 {
		return Filter{text: text}, nil
	}
	all, err := p.list(0)
	if err == nil && p.peek().kind == closing {
		err = p.wrong(p.peek(), "", "nothing is open that this would close")
	}
	if err != nil {
		return Filter{}, err
	}
	return Filter{text, all.match, all.bounds, p.judged}, nil
}

// deepest is how far brackets and nots may be within each other: deeper than
// anybody writes, and no stack is at risk.
const deepest = 100

type parser struct {
	text   string
	tokens []token
	at     int
	names  Names
	judged string // a key of a judgement that was read
}

func (p *parser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{kind: end, from: len(p.text), upto: len(p.text)}
}

func (p *parser) take() token {
	t := p.peek()
	p.at++
	return t
}

func (p *parser) fault(from, upto int, allowed, format string, args ...any) error {
	return &words.Error{What: "filter", Text: p.text, Offset: from, Length: upto - from, Problem: fmt.Sprintf(format, args...), Allowed: allowed}
}

func (p *parser) wrong(t token, allowed, format string, args ...any) error {
	return p.fault(t.from, t.upto, allowed, format, args...)
}

// part is a part of a filter, with the bounds of what it lets through.
type part struct {
	match  predicate
	bounds Bounds
}

// list reads predicates up to a closing bracket or the end, from left to right.
func (p *parser) list(depth int) (part, error) {
	left, err := p.one(depth)
	for err == nil {
		t := p.peek()
		if t.kind == end || t.kind == closing {
			return left, nil
		}
		if t.kind == and || t.kind == or {
			p.take()
		}
		var right part
		if right, err = p.one(depth); err != nil {
			break
		}
		a, b := left.match, right.match
		if t.kind == or {
			left = part{match: func(f *live.Flow) bool { return a(f) || b(f) }}
		} else {
			left = part{func(f *live.Flow) bool { return a(f) && b(f) }, left.bounds.and(right.bounds)}
		}
	}
	return part{}, err
}

// one reads a predicate.
func (p *parser) one(depth int) (part, error) {
	t := p.take()
	if depth > deepest {
		return part{}, p.wrong(t, "", "more than %d brackets are open", deepest)
	}
	switch t.kind {
	case not:
		inner, err := p.one(depth + 1)
		if err != nil {
			return part{}, err
		}
		return part{match: func(f *live.Flow) bool { return !inner.match(f) }}, nil
	case open:
		inner, err := p.list(depth + 1)
		if err != nil {
			return part{}, err
		}
		if c := p.take(); c.kind != closing {
			return part{}, p.wrong(t, "", "this bracket is not closed")
		}
		return inner, nil
	case word:
		return p.condition(t)
	case end:
		return part{}, p.wrong(t, allKeys(), "a condition is missing")
	}
	return part{}, p.wrong(t, allKeys(), "%q where a condition begins", t.text)
}

// condition reads KEY [OP] VALUE.
func (p *parser) condition(t token) (part, error) {
	switch t.text {
	case "state", "exclude", "excl":
		p.at--
		match, err := p.states()
		return part{match: match}, err
	case "autobound":
		return part{}, p.wrong(t, "sport >= 32768", "whether a port was chosen by the kernel is not known here")
	case "fwmark":
		return part{}, p.wrong(t, "", "a socket's mark is not known here")
	}
	k, known := findKey(t.text)
	if !known {
		return part{}, p.wrong(t, allKeys(), "unknown key %q", t.text)
	}
	switch k.name {
	case "verdict", "confidence", "warning":
		p.judged = k.name
	}
	op, value, err := p.operand(k)
	if err != nil {
		return part{}, err
	}
	match, err := k.compile(p, op, value.text)
	if wrong, ok := errors.AsType[*words.Error](err); ok {
		return part{}, wrong
	}
	if err != nil {
		return part{}, p.wrong(value, k.name+" takes "+k.allowed, "bad value for %s: %v", k.name, err)
	}
	return part{match, p.bounded(k.name, op, value.text)}, nil
}

// operand reads the operator, = where there is none, and the value.
func (p *parser) operand(k key) (op string, value token, err error) {
	op = "="
	if t := p.peek(); t.kind == comparison {
		p.take()
		op = t.text
		if !k.ordered && op != "=" && op != "!=" {
			return "", t, p.wrong(t, k.name+" takes = and !=", "%s has no order", k.name)
		}
	}
	value = p.take()
	switch {
	case value.kind == word && value.text != "" || value.kind == quoted:
		return op, value, nil
	case value.kind == end:
		return "", value, p.wrong(value, k.name+" takes "+k.allowed, "%s has no value", k.name)
	}
	return "", value, p.wrong(value, k.name+" takes "+k.allowed, "%q where the value of %s should be", value.text, k.name)
}

// states reads "state A state B exclude C" as ss does: each adds to the set or
// takes from it; one that begins with exclude begins with all.
func (p *parser) states() (predicate, error) {
	set := map[string]bool{}
	for first := true; ; first = false {
		t := p.peek()
		if t.kind != word || t.text != "state" && t.text != "exclude" && t.text != "excl" {
			break
		}
		p.take()
		op, value, err := p.operand(key{name: t.text, allowed: "a state: " + strings.Join(stateNames(), ", ")})
		if err != nil {
			return nil, err
		}
		named, known := statesOf(value.text)
		if !known {
			return nil, p.wrong(value, "states are "+strings.Join(stateNames(), ", "), "unknown state %q", value.text)
		}
		adds := (t.text == "state") == (op == "=")
		if first && !adds {
			for _, s := range states {
				set[s] = true
			}
		}
		for _, s := range named {
			set[s] = adds
		}
	}
	return func(f *live.Flow) bool { return set[stateOf(f)] }, nil
}
