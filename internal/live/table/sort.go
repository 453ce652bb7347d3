package table

import (
	"cmp"
	"sort"
	"strings"

	"unchoke/internal/live"
)

// Order is how rows follow each other: by a column, turned round or not.
type Order struct {
	Column   Column
	Reversed bool
}

// Busiest is the order that a table begins with: by rate, the largest first.
var Busiest = Order{Column: mustFind("rate")}

func mustFind(key string) Column {
	c, ok := Find(key)
	if !ok {
		panic("no column " + key)
	}
	return c
}

// Sort sorts flows in place: names from A on, with those that are empty last,
// figures from the largest on; reversed the other way, but for the empty names.
// Flows that are equal there stand in the order of their IDs, so that rows do
// not jump. Each flow is asked for its figure once.
func (o Order) Sort(flows []*live.Flow) {
	type row struct {
		flow  *live.Flow
		text  string
		value float64
	}
	rows := make([]row, len(flows))
	for i, f := range flows {
		rows[i].flow = f
		if o.Column.Name {
			rows[i].text = o.Column.Text(f)
		} else {
			rows[i].value = o.Column.Value(f)
		}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := &rows[i], &rows[j]
		if (a.text == "") != (b.text == "") {
			return a.text != ""
		}
		by := cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(b.value, a.value))
		if o.Reversed {
			by = -by
		}
		return cmp.Or(by, byID(a.flow, b.flow)) < 0
	})
	for i := range rows {
		flows[i] = rows[i].flow
	}
}

// byID orders hexadecimal numbers.
func byID(a, b *live.Flow) int {
	return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), strings.Compare(a.ID, b.ID))
}
