//go:build !slim

package check

import (
	"fmt"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// fetchLines say what was fetched and how long each step took; none of a check
// that was not of a URL.
func (c Report) fetchLines() []string {
	f := c.Fetch
	if f == nil {
		return nil
	}
	var out []string
	for _, r := range f.Redirects {
		line := fmt.Sprintf("redirect %d to %s", r.Status, r.To)
		if r.Downgrade {
			line += " (from https to http)"
		}
		out = append(out, line)
	}
	out = append(out, strings.Join(c.answerWords(), ", "))
	for i, a := range f.Addresses {
		if words := c.addressWords(a, i == 0); words != "" {
			out = append(out, words)
		}
	}
	return out
}

// answerWords are what the server said of the file.
func (c Report) answerWords() []string {
	f := c.Fetch
	parts := []string{strings.TrimSuffix(f.Protocol, ".0")}
	if f.Protocol == "" {
		parts[0] = "no answer"
	}
	if f.TLS != "" {
		parts = append(parts, f.TLS)
	}
	if f.Type != "" {
		parts = append(parts, f.Type)
	}
	switch {
	case f.Length >= 0:
		parts = append(parts, render.Size(float64(f.Length)))
	case f.Status != 0:
		parts = append(parts, "no length")
	}
	if f.Ranges == record.RangesServed {
		parts = append(parts, "ranges")
	} else if f.Ranges != "" {
		parts = append(parts, "no ranges")
	}
	if f.Proxy != "" {
		parts = append(parts, "by the proxy "+f.Proxy+": the path is the one from there")
	}
	return append(parts, fmt.Sprintf("received %s of at most %s", render.Size(float64(f.Bytes)), render.Size(float64(f.MaxBytes))))
}

// addressWords are the times of an address, one step after another.
func (c Report) addressWords(a record.FetchAddress, first bool) string {
	if a.Error != "" {
		return "" // among the problems
	}
	var steps []string
	step := func(name string, seconds float64) {
		if seconds > 0 {
			steps = append(steps, name+" "+render.Time(seconds))
		}
	}
	if first {
		step("resolve", c.Fetch.Resolve)
	}
	step("connect", a.Connect)
	step("TLS", a.TLS)
	step("first byte", a.FirstByte)
	words := a.Address + ": " + strings.Join(steps, ", ")
	if a.Rate > 0 && len(c.Fetch.Addresses) > 1 {
		words += "; " + render.Rate(a.Rate) + " in its first seconds"
	}
	return words
}
