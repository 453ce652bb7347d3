package fetch

import (
	"context"
	"fmt"
	"net/netip"

	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// mostAddresses are compared with the first: a name of a large service has
// dozens.
const mostAddresses = 3

// others compares the server's other addresses with the one that was measured,
// those of the other family first.
func (f *fetcher) others(ctx context.Context) error {
	if f.fetch.Proxy != "" {
		return nil // they are the proxy's
	}
	f.rateOfFirst()
	for _, i := range otherAddresses(f.at.addresses) {
		addr := f.at.addresses[i]
		if f.left() < f.plan.other() || f.leftBytes() < leastPart {
			f.skip("address "+addr.String(), "not enough left of the time or the bytes")
			continue
		}
		if err := f.rest(ctx); err != nil {
			return err
		}
		f.fetch.Addresses = append(f.fetch.Addresses, f.other(ctx, i))
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// other measures one of them, for a short time.
func (f *fetcher) other(ctx context.Context, i int) record.FetchAddress {
	kept := f.fetch.Streams
	name := fmt.Sprintf("address-%d", i+1)
	t := f.transfer(ctx, order{name: name, connections: 1, time: f.plan.other(), bytes: f.leftBytes() / 2, address: i})
	s := f.fetch.StreamsOf(name)[0]
	f.fetch.Streams = kept
	a := record.FetchAddress{Address: f.at.addresses[i].String(), Connect: s.Connect, TLS: s.TLS, FirstByte: s.FirstByte, Error: s.Error}
	if t != nil { // one of an address, not of the run
		f.run.Transfers = f.run.Transfers[:len(f.run.Transfers)-1]
		a.Rate = rateFrom(t, s.Body, s.Ended)
	}
	if n := len(f.run.Echoes); n > 0 && f.run.Echoes[n-1].Name == name {
		f.run.Echoes = f.run.Echoes[:n-1]
	}
	return a
}

// rateOfFirst is what the first address carried in as short a time.
func (f *fetcher) rateOfFirst() {
	s := f.fetch.StreamsOf("down-1")
	for i := range f.run.Transfers {
		if t := &f.run.Transfers[i]; t.Name == "down-1" && len(s) > 0 && len(f.fetch.Addresses) > 0 {
			f.fetch.Addresses[0].Rate = rateFrom(t, s[0].Body, min(f.plan.other().Seconds(), s[0].Ended))
		}
	}
}

func rateFrom(t *record.Transfer, from, to float64) float64 {
	if to <= from {
		return 0
	}
	return flow.Rate(t.Series, flow.Span{From: from, To: to})
}

// otherAddresses are indices of all but the first, the first one's family last.
func otherAddresses(all []netip.Addr) []int {
	var same, other []int
	for i := 1; i < len(all); i++ {
		if all[i].Is4() == all[0].Is4() {
			same = append(same, i)
		} else {
			other = append(other, i)
		}
	}
	out := append(other, same...)
	return out[:min(len(out), mostAddresses)]
}
