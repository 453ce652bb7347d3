// Package report shows records and findings as text, markdown and JSON: the
// same values, whichever the form. It sees no host and no network.
package report

import (
	"encoding/json"
	"io"
	"strings"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
)

// CheckSchema names this version of the document.
const CheckSchema = "unchoke.check/1"

// Check is what `unchoke check` says, and its JSON document.
type Check struct {
	Schema    string             `json:"schema"`
	Target    string             `json:"target"`
	Record    string             `json:"record"` // its ID; `unchoke record show` has the whole
	Started   time.Time          `json:"started"`
	Near      record.Host        `json:"near"`
	Far       record.Peer        `json:"far"`
	Route     record.Route       `json:"route"`
	Path      diagnose.Path      `json:"path"`
	Transfers []record.Transfer  `json:"transfers"`
	Findings  []diagnose.Finding `json:"findings"`
	Verdict   diagnose.Cause     `json:"verdict"`
	Proof     string             `json:"proof,omitempty"` // the command whose comparison proves it
	Skipped   []record.Skip      `json:"skipped,omitempty"`
	Warnings  []string           `json:"warnings,omitempty"`
	Error     string             `json:"error,omitempty"`
}

// NewCheck puts a record and its diagnosis together. The TCP_INFO series stay
// in the record.
func NewCheck(r *record.Run) Check {
	c := Check{
		Schema: CheckSchema, Target: r.Target, Record: r.ID, Started: r.Started,
		Near: r.Near, Far: r.Far, Route: r.Route,
		Path:     diagnose.MeasuredPath(r),
		Findings: diagnose.Diagnose(r),
		Skipped:  r.Skipped, Warnings: r.Warnings, Error: r.Error,
		Transfers: make([]record.Transfer, len(r.Transfers)),
	}
	for i, t := range r.Transfers {
		t.Series = nil
		if t.Intervals == nil {
			t.Intervals = []record.Interval{}
		}
		c.Transfers[i] = t
	}
	if c.Findings == nil {
		c.Findings = []diagnose.Finding{}
	}
	c.Verdict = diagnose.Verdict(c.Findings)
	c.Proof = c.proof()
	return c
}

// JSON writes the document.
func (c Check) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(c)
}

// transfer finds the TCP transfer of so many streams: 1, or more than 1.
func (c Check) transfer(d record.Direction, many bool) *record.Transfer {
	for i := range c.Transfers {
		t := &c.Transfers[i]
		if t.Direction == d && t.Protocol == record.TCP && (t.Streams > 1) == many && t.Rate > 0 {
			return t
		}
	}
	return nil
}

// ladder is the direction's UDP rungs.
func (c Check) ladder(d record.Direction) []record.Transfer {
	var out []record.Transfer
	for _, t := range c.Transfers {
		if t.Direction == d && t.UDP != nil && t.UDP.Packets > 0 {
			out = append(out, t)
		}
	}
	return out
}

// leading is the verdict's finding, and the directions in which it holds.
func (c Check) leading() (diagnose.Finding, []record.Direction) {
	if len(c.Findings) == 0 {
		return diagnose.Finding{Cause: diagnose.Unclear, Summary: "Nothing was measured."}, nil
	}
	lead := c.Findings[0]
	var where []record.Direction
	for _, f := range c.Findings {
		if f.Cause == lead.Cause {
			where = append(where, f.Direction)
		}
	}
	return lead, where
}

// others are the findings that the verdict does not name, healthy ones left
// out.
func (c Check) others() []diagnose.Finding {
	var out []diagnose.Finding
	for _, f := range c.Findings[min(1, len(c.Findings)):] {
		if f.Cause != c.Verdict && f.Cause != diagnose.Healthy {
			out = append(out, f)
		}
	}
	return out
}

// leftOut says which steps were left out, those for the same reason together.
func (c Check) leftOut() []string {
	var reasons []string
	steps := map[string][]string{}
	for _, s := range c.Skipped {
		if steps[s.Why] == nil {
			reasons = append(reasons, s.Why)
		}
		steps[s.Why] = append(steps[s.Why], s.Step)
	}
	var out []string
	for _, why := range reasons {
		out = append(out, strings.Join(steps[why], "; ")+": "+why)
	}
	return out
}

var directionWords = map[record.Direction]string{record.Up: "upload", record.Down: "download"}

// plain says each cause in the words of someone who hosts a video library.
var plain = map[diagnose.Cause]string{
	diagnose.Healthy:       "nothing wrong: one stream gets what the path can carry",
	diagnose.LossLimited:   "random packet loss, mistaken for congestion",
	diagnose.Reordering:    "packets overtake each other, mistaken for loss",
	diagnose.Policed:       "a rate limit that drops packets (policer)",
	diagnose.Bufferbloat:   "an oversized queue: everything waits behind a busy stream",
	diagnose.SendBuffer:    "the sender's buffer is too small for this distance",
	diagnose.ReceiveWindow: "the receiver's buffer is too small for this distance",
	diagnose.Unclear:       "one stream is slow, and this run does not say why",
}
