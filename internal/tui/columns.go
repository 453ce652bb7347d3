package tui

import (
	"cmp"
	"slices"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// column is one of the table as this terminal shows it.
type column struct {
	table.Column
	place int // from left to right
	head  string
	// width is the least that makes sense, most what it may grow to where there
	// is room.
	width, most int
	// middle is true of a name that is cut in its middle.
	middle bool
}

// place is where a column stands, and how long it stays where there is no room
// for all: rank 1 stays longest.
type place struct {
	key           string
	rank          int
	width, most   int
	head, cutting string
}

// places are the columns from left to right. Widths are columns of the screen:
// what is named here fits 80 up to rank 9.
var places = []place{
	{key: "process", rank: 1, width: 8, most: 20},
	{key: "unit", rank: 10, width: 12, most: 24},
	{key: "pid", rank: 19, width: 7},
	{key: "local", rank: 18, width: 17, most: 28, cutting: "middle"},
	{key: "remote", rank: 4, width: 16, most: 42, cutting: "middle"},
	{key: "state", rank: 20, width: 11},
	{key: "cc", rank: 6, width: 5, most: 8},
	{key: "rate", rank: 2, width: 6, head: "bit/s"},
	{key: "sent", rank: 21, width: 6},
	{key: "received", rank: 22, width: 6},
	{key: "bytes-sent", rank: 23, width: 6},
	{key: "bytes-received", rank: 24, width: 8},
	{key: "rtt", rank: 5, width: 5},
	{key: "minrtt", rank: 12, width: 5},
	{key: "jitter", rank: 11, width: 6},
	{key: "jitter-ratio", rank: 7, width: 5, head: "j/RTT"},
	{key: "cv", rank: 14, width: 5},
	{key: "retrans", rank: 8, width: 5, head: "rtx"},
	{key: "spurious", rank: 17, width: 5},
	{key: "timeouts", rank: 15, width: 5},
	{key: "reordered", rank: 25, width: 5},
	{key: "cwnd", rank: 13, width: 5},
	{key: "age", rank: 16, width: 5},
	{key: "idle", rank: 26, width: 5},
	{key: "limit", rank: 9, width: 6},
	{key: "verdict", rank: 3, width: 14},
	{key: "confidence", rank: 27, width: 5},
}

// flagColumns is the room before the first column: a mark and a space.
const flagColumns = 2

// gap is the space between columns.
const gap = 1

// choose takes the columns that a width has room for, by rank, and always the
// one by which the table is sorted. What is left over goes to the names, so
// that the layout depends on the width alone and never jumps.
func choose(width int, sorted string) []column {
	byRank := slices.SortedFunc(slices.Values(places), func(a, b place) int {
		return cmp.Compare(rankOf(a, sorted), rankOf(b, sorted))
	})
	room := width - flagColumns + gap
	var out []column
	for i, p := range byRank {
		room -= p.width + gap
		if room < 0 && i > 0 {
			room += p.width + gap
			if i < usualRanks { // a narrow screen shows what it can
				continue
			}
			break
		}
		c := newColumn(p)
		out = append(out, c)
		remote := slices.IndexFunc(out, func(c column) bool { return c.Key == "remote" })
		if i+1 == usualRanks && remote >= 0 { // an address is read before more figures are
			more := min(max(room, 0), usualRemote-out[remote].width)
			out[remote].width += more
			room -= more
		}
	}
	for grown := true; grown && room > 0; {
		grown = false
		for i := range out {
			if out[i].width < out[i].most && room > 0 {
				out[i].width++
				room--
				grown = true
			}
		}
	}
	slices.SortFunc(out, func(a, b column) int { return cmp.Compare(a.place, b.place) })
	return out
}

// rankOf is a place's rank; that of the sorted column at most the next after
// those without which nobody knows whose figure it is.
func rankOf(p place, sorted string) float64 {
	if p.key == sorted {
		return min(float64(p.rank), alwaysRanks+0.5)
	}
	return float64(p.rank)
}

// alwaysRanks are the first ranks, which tell whose flow it is and how it does;
// usualRanks are those that fit 80 columns.
const (
	alwaysRanks = 3
	usualRanks  = 9
	usualRemote = 21 // IPv4 and a port
)

func newColumn(p place) column {
	c, ok := table.Find(p.key)
	if !ok {
		panic("no column " + p.key)
	}
	at := slices.IndexFunc(places, func(q place) bool { return q.key == p.key })
	out := column{Column: c, place: at, head: c.Head, width: p.width, most: max(p.most, p.width), middle: p.cutting == "middle"}
	if p.head != "" {
		out.head = p.head
	}
	return out
}

// text is what a flow has in the column, cleaned and of the column's width.
func (c column) text(f *live.Flow) string {
	switch {
	case c.Key == "rate":
		return right(arrowed(f), c.width)
	case c.Key == "limit":
		return left(limitWord(f.Limits.Most()), c.width)
	case c.Key == "confidence" && f.Verdict == live.Watching:
		return right("", c.width)
	case c.Key == "pid" && f.PID == 0, unknown(c, f):
		return right("", c.width)
	case !c.Name:
		return right(figure(c.Kind, c.Value(f)), c.width)
	case c.Key == "remote":
		return left(remote(f, c.width), c.width)
	case c.middle:
		return left(cutMiddle(clean(c.Text(f)), c.width), c.width)
	}
	return left(clean(c.Text(f)), c.width)
}

// remote is the peer. Where a program of this host was called, the peer's port
// says nothing and goes first.
func remote(f *live.Flow, width int) string {
	whole := f.Remote.String()
	if len(whole) > width && f.Accepted {
		whole = f.Remote.Addr().String()
	}
	return cutMiddle(clean(whole), width)
}

// unknown says that a time of 0 stands for one that was never measured.
func unknown(c column, f *live.Flow) bool {
	switch c.Key {
	case "rtt", "minrtt":
		return f.RTT == 0
	case "jitter", "jitter-ratio":
		return f.Jitter == 0
	}
	return false
}

// arrowed is the busier direction's rate, and which that is.
func arrowed(f *live.Flow) string {
	rate, sends := f.Busier()
	switch {
	case rate < 0.5:
		return "0"
	case sends:
		return "↑" + figure(table.Rate, rate)
	}
	return "↓" + figure(table.Rate, rate)
}

// limitWord is the limit as ss abbreviates it.
func limitWord(l live.Limit) string {
	switch l {
	case live.LimitReceiveWindow:
		return "rwnd"
	case live.LimitSendBuffer:
		return "sndbuf"
	case live.LimitNetwork:
		return "net"
	}
	return string(l)
}
