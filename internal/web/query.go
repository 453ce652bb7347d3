package web

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/live"
	"unchoke/internal/live/filter"
	"unchoke/internal/live/table"
)

// pageRows is how many rows a page of the table has. It bounds an event: with
// ten thousand flows to less than 64 KiB.
const pageRows = 100

// query is what a page shows: the parameters of its address.
type query struct {
	flow   string // its page alone
	keep   filter.Filter
	order  table.Order
	group  table.By // empty: none
	in     *string  // of the groups this one's flows
	closed bool     // with those that ended lately
	from   int      // the first row's index
}

// parseQuery reads flow=ID, filter=TEXT, sort=KEY or -KEY, group=KIND, in=NAME,
// closed=1, from=N.
func parseQuery(v url.Values) (query, error) {
	q := query{flow: v.Get("flow"), order: table.Busiest, closed: v.Get("closed") == "1"}
	if key := v.Get("sort"); key != "" {
		column, ok := table.Find(strings.TrimPrefix(key, "-"))
		if !ok {
			return q, fmt.Errorf("there is no column %q to sort by", key)
		}
		q.order = table.Order{Column: column, Reversed: strings.HasPrefix(key, "-")}
	}
	if by := table.By(v.Get("group")); by != "" {
		if !slices.Contains(table.Groupings, by) {
			return q, fmt.Errorf("flows cannot be grouped by %q", by)
		}
		q.group = by
		if v.Has("in") {
			name := v.Get("in")
			q.in = &name
		}
	}
	if n := v.Get("from"); n != "" {
		from, err := strconv.Atoi(n)
		if err != nil || from < 0 {
			return q, fmt.Errorf("from=%q is no row's number", n)
		}
		q.from = from
	}
	// Services go by their names, hosts do not: a page does not make this host
	// look names up.
	keep, err := filter.Parse(v.Get("filter"), filter.Names{Port: servicePort})
	if err != nil {
		return q, err
	}
	q.keep = keep
	return q, nil
}

// selected are the flows that a query asks for, in no order.
func (q query) selected(l *look) []*live.Flow {
	var out []*live.Flow
	for _, f := range l.flows {
		switch {
		case f.Closed && !q.closed, q.in != nil && q.group.Of(f) != *q.in:
		case q.keep.Match(f):
			out = append(out, f)
		}
	}
	return out
}

func servicePort(name string) (uint16, error) {
	port, err := net.DefaultResolver.LookupPort(context.Background(), "tcp", name)
	return uint16(port), err
}
