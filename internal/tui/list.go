package tui

import (
	"slices"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// list is the table's state: which flows, in which order, and where the user
// is in it.
//
// The user is nowhere at first (selected is empty) and sees the table's top.
// From the first step on, selected follows its flow or group: where that moves
// in the table, the table moves below it, so that it keeps its line of the
// screen.
type list struct {
	order  table.Order
	by     table.By // "": not grouped
	closed bool     // are shown
	match  func(*live.Flow) bool
	open   map[string]bool // groups whose flows are shown

	rows     []row
	total    int    // flows that are open, of any kind
	closedN  int    // flows that have closed, shown or not
	selected rowKey // of the row that the user is at
	at       int    // its index
	top      int    // index of the first row on the screen
	line     int    // of the screen, on which the user put the selection
}

// row is a flow, or a group of them.
type row struct {
	flow  *live.Flow
	group *table.Group
}

// rowKey tells rows apart across snapshots: a flow by its ID, a group by its
// name.
type rowKey struct {
	group bool
	name  string
}

func (r row) key() rowKey {
	if r.group != nil {
		return rowKey{true, r.group.Name}
	}
	return rowKey{false, r.flow.ID}
}

// arrange makes the rows of the flows, for a screen of so many rows.
func (l *list) arrange(flows []*live.Flow, height int) {
	shown := make([]*live.Flow, 0, len(flows))
	l.total, l.closedN = 0, 0
	for _, f := range flows {
		if f.Closed {
			l.closedN++
		} else {
			l.total++
		}
		if (l.closed || !f.Closed) && (l.match == nil || l.match(f)) {
			shown = append(shown, f)
		}
	}
	l.order.Sort(shown)
	l.rows = l.rows[:0:0]
	if l.by == "" {
		l.rows = slices.Grow(l.rows, len(shown))
		for _, f := range shown {
			l.rows = append(l.rows, row{flow: f})
		}
	} else {
		for _, g := range table.Groups(shown, l.by) {
			l.rows = append(l.rows, row{group: g})
			if l.open[g.Name] {
				for _, f := range g.Flows {
					l.rows = append(l.rows, row{flow: f})
				}
			}
		}
	}
	l.follow(height)
}

// follow finds the selected row again. One that is gone leaves its place to the
// row that is there now.
func (l *list) follow(height int) {
	if l.selected == (rowKey{}) {
		l.at = 0
		l.scrollTo(height)
		return
	}
	line := l.line
	if i := slices.IndexFunc(l.rows, func(r row) bool { return r.key() == l.selected }); i >= 0 {
		l.at, l.top = i, i-line
	}
	l.step(0, height)
	l.line = min(line, height-1)
}

// step moves the selection by rows. The first step selects the row that is at
// the screen's top.
func (l *list) step(by, height int) {
	if len(l.rows) == 0 {
		l.at, l.top, l.line, l.selected = 0, 0, 0, rowKey{}
		return
	}
	if l.selected == (rowKey{}) {
		l.at, by = l.top, max(by-1, 0)
	}
	l.at = min(max(l.at+by, 0), len(l.rows)-1)
	l.selected = l.rows[l.at].key()
	l.scrollTo(height)
	l.line = l.at - l.top
}

// scrollTo brings the selection onto the screen.
func (l *list) scrollTo(height int) {
	l.top = min(l.top, l.at)
	l.top = max(l.top, l.at-height+1)
	l.top = min(l.top, len(l.rows)-height)
	l.top = max(l.top, 0)
}

// leave gives the selection up and goes to the top.
func (l *list) leave() { l.selected, l.at, l.top, l.line = rowKey{}, 0, 0, 0 }

// current is the row that the user is at; the first where they are nowhere.
func (l *list) current() (row, bool) {
	if len(l.rows) == 0 {
		return row{}, false
	}
	return l.rows[min(l.at, len(l.rows)-1)], true
}

// toggle opens or closes a group.
func (l *list) toggle(g *table.Group) {
	if l.open == nil {
		l.open = map[string]bool{}
	}
	l.open[g.Name] = !l.open[g.Name]
}

// group goes on to the next grouping, and from the last to none.
func (l *list) group() {
	next := slices.Index(table.Groupings, l.by) + 1
	l.by, l.open = "", nil
	if next < len(table.Groupings) {
		l.by = table.Groupings[next]
	}
	l.leave()
}

// neighbour sorts by the column before or after.
func (l *list) neighbour(by int) {
	keys := table.Keys()
	i := (slices.Index(keys, l.order.Column.Key) + by + len(keys)) % len(keys)
	l.sortBy(keys[i])
}

// sortBy sorts by a column, and turns the order round where it does already.
func (l *list) sortBy(key string) {
	c, ok := table.Find(key)
	if !ok {
		return
	}
	l.order = table.Order{Column: c, Reversed: c.Key == l.order.Column.Key && !l.order.Reversed}
}
