package report

import (
	"fmt"

	"unchoke/internal/lab/analysis"
)

// mechanismSection is what reordering does to a sender.
func (l Lab) mechanismSection() *labSection {
	t := newTable("<path", "<arm", "<traffic", "throughput", "order kept", "free/kept", "resent", "of that needless", "kept: resent", "reorderings", "timeouts", "cwnd", "kept: cwnd")
	for _, o := range l.Orders {
		free, keep := l.Cells[o.Free], l.Cells[o.Keep]
		t.add(l.path(free), free.Arm, free.Traffic, rate(free.Throughput.Mean), rate(keep.Throughput.Mean), times(free.Throughput.Mean/keep.Throughput.Mean),
			ratio(free.Retransmitted), needless(free), ratio(keep.Retransmitted),
			fmt.Sprintf("%.0f", free.Reordering), fmt.Sprintf("%.1f", free.Timeouts), fmt.Sprintf("%.1f", free.Cwnd), fmt.Sprintf("%.1f", keep.Cwnd))
	}
	s := &labSection{
		Title: "What reordering does", Plot: "traces",
		Words: []string{"Of the retransmits, needless are those that the receiver told it had twice (DSACK). With order kept the packets have the same jitter and none overtakes another."},
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
	return ratio(c.Spurious)
}

// spuriousTable is the cells with jitter where none is there with order kept.
func (l Lab) spuriousTable() labTable {
	t := newTable("<path", "<arm", "<traffic", "throughput", "resent", "of that needless", "reorderings", "timeouts", "cwnd")
	for _, c := range l.Cells {
		if c.Jitter > 0 && c.Reordering > 0 {
			t.add(l.path(c), c.Arm, c.Traffic, rate(c.Throughput.Mean), ratio(c.Retransmitted), needless(c), fmt.Sprintf("%.0f", c.Reordering), fmt.Sprintf("%.1f", c.Timeouts), fmt.Sprintf("%.1f", c.Cwnd))
		}
	}
	return t.done("Cells in which packets overtook each other", 3)
}

// agreementSection is the study beside the article and theory.
func (l Lab) agreementSection() *labSection {
	a := l.Agreement
	if len(a.Jitter)+len(a.Loss)+len(a.Published)+len(a.Theory) == 0 {
		return nil
	}
	sum := newTable("<compared", "<agreement is", "agree", "of", "median ratio", "least", "most")
	miss := newTable("<compared", "<cell", "<arm", "here", "there", "ratio")
	for _, part := range a.Parts() {
		if len(part.List) == 0 {
			continue
		}
		agree, all := analysis.Tally(part.List)
		low, mid, high := analysis.Spread(part.List)
		sum.add(part.Name, part.Meaning, fmt.Sprint(agree), fmt.Sprint(all), times(mid), times(low), times(high))
		for _, c := range part.List {
			if !c.Agrees {
				miss.add(part.Name, l.comparedWords(c), c.CC, rate(c.Mean), rate(c.Want), times(c.Ratio))
			}
		}
	}
	agree := 0
	for _, r := range a.Ranks {
		if r.Agrees {
			agree++
		} else {
			miss.add("ranking", r.Path.String()+", "+analysis.RateWords(r.Rate), "bbr/cubic", times(r.Ours), times(r.Theirs), times(r.Ours/r.Theirs))
		}
	}
	if len(a.Ranks) > 0 {
		sum.add("CUBIC and BBR ranked", "the same leads, where the article's intervals do not overlap", fmt.Sprint(agree), fmt.Sprint(len(a.Ranks)), "", "", "")
	}
	s := &labSection{
		Title: "Agreement", Plot: "agreement",
		Words:  []string{"Mean throughput here over that of the article's runs, each sender rate on its own, over the article's text, both rates pooled, and over what theory expects of long bulk transfers."},
		Tables: []labTable{sum.done("Agreement", 2)},
	}
	if len(miss.columns[0].Cells) > 0 {
		s.Tables = append(s.Tables, miss.done("What disagrees", 3))
	}
	return s
}

func (l Lab) comparedWords(c analysis.Compared) string {
	if c.Cell < 0 {
		return c.What
	}
	words := l.path(l.Cells[c.Cell])
	if traffic := l.Cells[c.Cell].Traffic; traffic != "" {
		words += ", " + traffic
	}
	return words
}

// cellSection is every cell.
func (l Lab) cellSection() *labSection {
	if len(l.Cells) == 0 {
		return nil
	}
	t := newTable("<path", "<arm", "<traffic", "runs", "throughput [95 %]", "median", "CV", "resent", "of that needless", "RTT", "cwnd", "article's", "of article's")
	for _, c := range l.Cells {
		cv := ""
		if c.Throughput.CV >= 0 {
			cv = ratio(c.Throughput.CV)
		}
		theirs, of := referenceCells(c)
		t.add(l.path(c), c.Arm, c.Traffic, fmt.Sprint(c.Throughput.N), rateWithin(c.Throughput), rate(c.Throughput.Median), cv,
			ratio(c.Retransmitted), needless(c), known(c.RTTUnder, lapse), known(c.Cwnd, func(v float64) string { return fmt.Sprintf("%.1f", v) }), theirs, of)
	}
	return &labSection{Title: "Every cell", Plot: "cells", Long: true, Tables: []labTable{t.done("Cells", 3)}}
}
