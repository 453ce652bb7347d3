package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/report/rendertest"
	"unchoke/internal/state"
)

// afterBBR is a check whose uploads run bbr now, and what changed.
func afterBBR(t *testing.T) Report {
	t.Helper()
	before, err := state.ReadRun(lossy)
	if err != nil {
		t.Fatal(err)
	}
	after, err := state.ReadRun(lossy)
	if err != nil {
		t.Fatal(err)
	}
	for i := range after.Transfers {
		if tr := &after.Transfers[i]; tr.Direction == record.Up && tr.Protocol == record.TCP {
			tr.CC = "bbr"
			tr.SteadyRate = 40e6
		}
	}
	c := New(after)
	since := diagnose.Compare(before, after)
	c.Since = &since
	return c
}

func TestSince(t *testing.T) {
	c := afterBBR(t)
	var text, markdown, doc bytes.Buffer
	for _, err := range []error{c.Text(&text, render.Style{Width: 100}), c.Markdown(&markdown), c.JSON(&doc)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	i := strings.Index(text.String(), "\nSINCE ")
	if i < 0 {
		t.Fatalf("nothing of the earlier record:\n%s", &text)
	}
	rendertest.Golden(t, "since.txt", text.String()[i+1:])
	if j := strings.Index(markdown.String(), "### Since "); j < 0 || !strings.Contains(markdown.String()[j:], "| upload | 2.62 Mbit/s | 40.0 Mbit/s |") {
		t.Errorf("markdown:\n%s", &markdown)
	}
	for name, got := range map[string]string{"text": text.String(), "markdown": markdown.String()} {
		if strings.Contains(got, "this host's cubic takes") || strings.Contains(got, "LOSS-LIMITED") {
			t.Errorf("%s speaks of cubic where the sender runs bbr:\n%s", name, got)
		}
	}
	var d struct {
		Since struct {
			Record     string
			Directions []struct {
				Direction     string
				Before, After struct {
					CC   string
					Rate float64 `json:"rate_bps"`
				}
				Ratio float64
			}
		}
	}
	if err := json.Unmarshal(doc.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if up := d.Since.Directions[1]; up.Direction != "up" || up.Before.CC != "cubic" || up.After.CC != "bbr" || up.After.Rate != 40e6 || up.Ratio < 15 {
		t.Errorf("since %+v", d.Since)
	}
}
