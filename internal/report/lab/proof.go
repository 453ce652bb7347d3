package lab

import (
	"fmt"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/report/render"
)

// mechanismSection is what reordering does to a sender.
func (l Report) mechanismSection() *section {
	t := newTable("<path", "<arm", "<traffic", "throughput", "order kept", "free/kept", "resent", "of that spurious", "kept: resent", "reorderings", "timeouts", "cwnd", "kept: cwnd")
	for _, o := range l.Orders {
		free, keep := l.Cells[o.Free], l.Cells[o.Keep]
		t.add(l.path(free), free.Arm, free.Traffic, render.Rate(free.Throughput.Mean), render.Rate(keep.Throughput.Mean), render.Times(free.Throughput.Mean/keep.Throughput.Mean),
			render.Ratio(free.Retransmitted), needless(free), render.Ratio(keep.Retransmitted),
			fmt.Sprintf("%.0f", free.Reordering), fmt.Sprintf("%.1f", free.Timeouts), fmt.Sprintf("%.1f", free.Cwnd), fmt.Sprintf("%.1f", keep.Cwnd))
	}
	s := &section{
		Title: "What reordering does", Plot: "traces",
		Words: []string{"A retransmit is spurious if the receiver reported a duplicate (DSACK). With the order kept, packets have the same jitter but do not overtake each other."},
	}
	if len(l.Orders) > 0 {
		s.Tables = append(s.Tables, t.done("The same paths, with packets free to overtake and with order kept", 3))
	} else if spurious := l.spuriousTable(); len(spurious.Columns) > 0 {
		s.Tables = append(s.Tables, spurious)
	}
	if len(s.Tables) == 0 && len(l.Traces) == 0 {
		return nil
	}
	return s
}

func needless(c analysis.Cell) string {
	if c.Spurious < 0 {
		return ""
	}
	return render.Ratio(c.Spurious)
}

// spuriousTable is the cells with jitter where none is there with order kept.
func (l Report) spuriousTable() table {
	t := newTable("<path", "<arm", "<traffic", "throughput", "resent", "of that spurious", "reorderings", "timeouts", "cwnd")
	for _, c := range l.Cells {
		if c.Jitter > 0 && c.Reordering > 0 {
			t.add(l.path(c), c.Arm, c.Traffic, render.Rate(c.Throughput.Mean), render.Ratio(c.Retransmitted), needless(c), fmt.Sprintf("%.0f", c.Reordering), fmt.Sprintf("%.1f", c.Timeouts), fmt.Sprintf("%.1f", c.Cwnd))
		}
	}
	return t.done("Cells in which packets overtook each other", 3)
}

// agreementSection is the study beside the article and theory.
func (l Report) agreementSection() *section {
	a := l.Agreement
	if len(a.Jitter)+len(a.Loss)+len(a.Published)+len(a.Theory) == 0 {
		return nil
	}
	sum := newTable("<compared", "<agreement means", "agree", "of", "median ratio", "least", "most")
	miss := newTable("<compared", "<cell", "<arm", "here", "there", "ratio")
	for _, part := range a.Parts() {
		if len(part.List) == 0 {
			continue
		}
		agree, all := analysis.Tally(part.List)
		low, mid, high := analysis.Spread(part.List)
		sum.add(part.Name, part.Meaning, fmt.Sprint(agree), fmt.Sprint(all), render.Times(mid), render.Times(low), render.Times(high))
		for _, c := range part.List {
			if !c.Agrees {
				miss.add(part.Name, l.comparedWords(c), c.CC, render.Rate(c.Mean), render.Rate(c.Want), render.Times(c.Ratio))
			}
		}
	}
	agree := 0
	for _, r := range a.Ranks {
		if r.Agrees {
			agree++
		} else {
			miss.add("ranking", r.Path.String()+", "+analysis.RateWords(r.Rate), "bbr/cubic", render.Times(r.Ours), render.Times(r.Theirs), render.Times(r.Ours/r.Theirs))
		}
	}
	if len(a.Ranks) > 0 {
		sum.add("CUBIC and BBR ranked", "same leader where the article's intervals do not overlap", fmt.Sprint(agree), fmt.Sprint(len(a.Ranks)), "", "", "")
	}
	s := &section{
		Title: "Agreement", Plot: "agreement",
		Words:  []string{"Mean throughput here relative to the article's runs (each sender rate on its own), to the article's text (both rates pooled), and to what theory expects of long bulk transfers."},
		Tables: []table{sum.done("Agreement", 2)},
	}
	if len(miss.columns[0].Cells) > 0 {
		s.Tables = append(s.Tables, miss.done("What disagrees", 3))
	}
	return s
}

func (l Report) comparedWords(c analysis.Compared) string {
	if c.Cell < 0 {
		return c.What
	}
	words := l.path(l.Cells[c.Cell])
	if traffic := l.Cells[c.Cell].Traffic; traffic != "" {
		words += ", " + traffic
	}
	return words
}

// failed is how many of a cell's runs failed, empty for none.
func failed(c analysis.Cell) string {
	if c.Failed == 0 {
		return ""
	}
	return fmt.Sprint(c.Failed)
}

// cellSection is every cell.
func (l Report) cellSection() *section {
	if len(l.Cells) == 0 {
		return nil
	}
	t := newTable("<path", "<arm", "<traffic", "runs", "failed", "throughput [95 %]", "median", "CV", "resent", "of that spurious", "RTT", "cwnd", "article's", "of article's")
	for _, c := range l.Cells {
		cv := ""
		if c.Throughput.CV >= 0 {
			cv = render.Ratio(c.Throughput.CV)
		}
		theirs, of := referenceCells(c)
		t.add(l.path(c), c.Arm, c.Traffic, fmt.Sprint(c.Throughput.N), failed(c), rateWithin(c.Throughput), render.Rate(c.Throughput.Median), cv,
			render.Ratio(c.Retransmitted), needless(c), render.Known(c.RTTUnder, render.Time), render.Known(c.Cwnd, func(v float64) string { return fmt.Sprintf("%.1f", v) }), theirs, of)
	}
	return &section{Title: "Every cell", Plot: "cells", Long: true, Tables: []table{t.done("Cells", 3)}}
}
