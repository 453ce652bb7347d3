package report

import (
	"fmt"
	"io"
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// Markdown writes the check for an issue or a forum: the verdict first, then
// tables.
func (c Check) Markdown(w io.Writer) error {
	var b strings.Builder
	lead, where := c.leading()
	var ways []string
	for _, d := range where {
		ways = append(ways, directionWords[d])
	}
	fmt.Fprintf(&b, "## %s: %s\n\n", c.Target, lead.Cause)
	fmt.Fprintf(&b, "**%s** (%s; %.0f %% sure). %s\n\n", capital(plain[lead.Cause]), strings.Join(ways, " and "), lead.Confidence*100, lead.Summary)
	fmt.Fprintf(&b, "%s. %s.", capital(c.pathLine()), capital(c.hostLine()))
	if line := c.bufferLine(); line != "" {
		fmt.Fprintf(&b, " %s.", capital(line))
	}
	fmt.Fprint(&b, "\n\n")

	fmt.Fprintln(&b, "| direction | test | rate | retransmits or loss |")
	fmt.Fprintln(&b, "|---|---|---:|---:|")
	for _, d := range record.Directions {
		for _, t := range c.Transfers {
			if t.Direction == d {
				fmt.Fprintln(&b, transferRow(t))
			}
		}
	}
	if len(lead.Evidence) > 0 {
		fmt.Fprint(&b, "\n| evidence | figure |\n|---|---:|\n")
		for _, e := range lead.Evidence {
			what := e.What
			if e.Source != "" {
				what += " (" + e.Source + ")"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", cell(what), figure(e))
		}
	}
	if len(lead.Remedies) > 0 {
		fmt.Fprintln(&b)
		for i, r := range lead.Remedies {
			fmt.Fprintf(&b, "%d. %s\n", i+1, remedyWords(r))
			if r.Command != "" {
				fmt.Fprintf(&b, "   ```sh\n   %s\n   ```\n", r.Command)
			}
		}
	}
	if c.Proof != "" {
		fmt.Fprintf(&b, "\nProof: `%s`\n", c.Proof)
	}
	for _, f := range c.others() {
		fmt.Fprintf(&b, "\nAlso **%s** (%s): %s\n", f.Cause, directionWords[f.Direction], f.Summary)
	}
	for _, x := range c.Warnings {
		fmt.Fprintf(&b, "\n> warning: %s\n", x)
	}
	for _, x := range c.leftOut() {
		fmt.Fprintf(&b, "\n> left out: %s\n", x)
	}
	if c.Error != "" {
		fmt.Fprintf(&b, "\n> incomplete: %s\n", c.Error)
	}
	fmt.Fprintf(&b, "\n%s, record `%s`\n", when(c.Started), c.Record)
	_, err := io.WriteString(w, b.String())
	return err
}

func transferRow(t record.Transfer) string {
	if t.UDP != nil {
		loss := 0.0
		if t.UDP.Packets > 0 {
			loss = float64(t.UDP.Lost) / float64(t.UDP.Packets)
		}
		return fmt.Sprintf("| %s | UDP, %s sent | %s | %s |", directionWords[t.Direction],
			unit.BitRate(t.UDP.Sent).Human(), unit.BitRate(t.UDP.Delivered).Human(), unit.Ratio(loss).Human())
	}
	test, cc, resent := "TCP, 1 stream", "", "not told"
	if t.Streams > 1 {
		test = fmt.Sprintf("TCP, %d streams", t.Streams)
	}
	if t.CC != "" {
		cc = ", " + t.CC
	}
	if t.Retransmits >= 0 {
		resent = fmt.Sprint(t.Retransmits)
	}
	return fmt.Sprintf("| %s | %s%s | %s | %s |", directionWords[t.Direction], test, cell(cc), unit.BitRate(t.SteadyRate).Human(), resent)
}

// cell keeps a text inside its table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func capital(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}
