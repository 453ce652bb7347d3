package closely

import (
	"unchoke/internal/flow/lately"
	"unchoke/internal/live"
)

// Account keeps the looks at one connection over the last 30 s (live.Lately), of
// the direction in which it carries more.
type Account struct {
	every lately.Account // of all looks
	looks []look
	sends bool
	young bool // the first of the looks is in the connection's first second

	told   live.Closely // of the looks until toldAt, in seconds; 0: never
	toldAt float64
}

// leastSpan is how long a connection must have been looked at to tell anything,
// in seconds, and toldEvery how often what it tells is made anew, a little less
// than a watch's usual second: of 30 s, a tenth of one changes nothing, and forty
// connections would cost a watch that looks ten times a second a tenth of a core.
const (
	leastSpan = 3
	toldEvery = 0.9
)

// Begin opens the account of a connection that sends or receives; young says that
// it is hardly older than this look.
func Begin(l lately.Look, sends, young bool) *Account {
	a := &Account{every: lately.Begin(l), sends: sends, young: young}
	a.keep(l, 0)
	return a
}

// Sends says which direction it is of.
func (a *Account) Sends() bool { return a.sends }

// Add takes a look. unread is what the connection's program has left in its
// receive buffer, in bytes.
func (a *Account) Add(l lately.Look, unread uint32) {
	a.every.Add(l)
	a.keep(l, unread)
}

func (a *Account) keep(l lately.Look, unread uint32) {
	if len(a.looks) == cap(a.looks) { // now and then
		if kept := since(a.looks, l.At.Seconds()-live.Lately); len(kept) < len(a.looks) {
			a.looks = a.looks[:copy(a.looks, kept)]
			a.young = false
		}
	}
	a.looks = append(a.looks, lookOf(a.sends, l, unread))
}

// Figures fills in what only looks so close tell, once there are some seconds of
// them: Closely, and what a look a second meets too little of, as everyLook says.
func (a *Account) Figures(f *live.Flow) {
	last := a.looks[len(a.looks)-1]
	if a.toldAt == 0 || last.at-a.toldAt >= toldEvery {
		all := since(a.looks, last.at-live.Lately)
		a.told = live.Closely{}
		if last.at-all[0].at >= leastSpan {
			a.told, a.toldAt = figures(all, a.sends, a.young && len(all) == len(a.looks)), last.at
		}
	}
	f.Closely = a.told
	if a.told.Looks > 0 {
		f.Limits = a.every.Limits()
		stalled, standing := a.every.Stalled()
		f.Stalled, f.Standing = max(f.Stalled, stalled), max(f.Standing, standing)
	}
}
