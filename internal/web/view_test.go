package web

import (
	"net/url"
	"testing"
	"time"

	"unchoke/internal/live"
)

// A flow that has ended is shown, and carries nothing any more.
func TestRatesAreOfOpenFlows(t *testing.T) {
	flows := []*live.Flow{
		{ID: "1", SentRate: 3e6, ReceivedRate: 1e6, Process: "a"},
		{ID: "2", SentRate: 5e6, ReceivedRate: 2e6, Process: "a", Closed: true},
	}
	l := &look{snapshot: &live.Snapshot{Time: time.Unix(1, 0), Interval: 1}, flows: flows}
	for text, shown := range map[string]int{"": 1, "closed=1": 2, "closed=1&group=process": 2} {
		v := asked(t, text).view(l)
		if v.Sent != 3e6 || v.Received != 1e6 || v.Moving != 1 || v.Flows != shown {
			t.Errorf("%q: %+v", text, v)
		}
		for _, g := range v.Groups {
			if g.Sent != 3e6 || g.Received != 1e6 || g.Flows != shown {
				t.Errorf("%q: %+v", text, g)
			}
		}
	}
}

// asked is a page's query, from the text in its address.
func asked(t *testing.T, text string) query {
	t.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	q, err := parseQuery(values)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
