package far

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"unchoke/internal/record"
	"unchoke/internal/session"
)

// Account is what the far end of a session tells of a run.
type Account struct {
	client *session.Client
	run    *record.Run
	since  float64 // of its tunnel's times, in seconds since the run began
}

// Follow asks the far host what it is, and how it reaches address, the near
// end's; empty is what it sees of this host. Tell is to be called once the
// tests have run.
func Follow(ctx context.Context, run *record.Run, c *session.Client, address string) *Account {
	f := &Account{client: c, run: run}
	host := c.Hello.Host
	run.FarHost = &host
	f.warn(c.Hello.Warnings...)
	told, err := c.Audit(ctx, session.Audit{Address: address})
	f.since = time.Since(run.Started).Seconds()
	if err != nil {
		f.warn(err.Error())
		return f
	}
	run.FarHost, run.FarRoute, run.FarNICs = &told.Host, &told.Route, told.NICs
	for _, w := range told.Warnings {
		if !slices.Contains(c.Hello.Warnings, w) {
			f.warn(w)
		}
	}
	return f
}

// Tell puts what the far host saw of the tests into the record. A session that
// is lost by then leaves the record with one side.
func (f *Account) Tell(ctx context.Context) {
	told, err := f.client.Sides(ctx)
	if err != nil {
		f.warn("what it saw of the tests: " + err.Error())
		return
	}
	if told.Forgotten > 0 {
		f.warn(fmt.Sprintf("what it saw of %d tests found no room there", told.Forgotten))
	}
	sides := map[string]*record.Transfer{}
	for i, s := range told.Sides {
		sides[s.Cookie] = &told.Sides[i].Transfer
	}
	for i := range f.run.Transfers {
		t := &f.run.Transfers[i]
		if side := sides[t.Cookie]; side != nil && t.Cookie != "" && side.Direction == t.Direction {
			side.FarSide, side.Name, side.Started = nil, t.Name, t.Started
			t.FarSide = side
		}
	}
	if told.Tunnel != nil && f.run.FarRoute != nil {
		tunnel := *told.Tunnel
		for i := range tunnel.Ways {
			tunnel.Ways[i].From += f.since
			tunnel.Ways[i].To += f.since
		}
		f.run.FarRoute.Tunnel = tunnel
	}
}

// warn keeps what the far host lacks, as its.
func (f *Account) warn(warnings ...string) {
	for _, w := range warnings {
		f.run.Warnings = append(f.run.Warnings, "the far host: "+strings.TrimPrefix(w, "the far host: "))
	}
}
