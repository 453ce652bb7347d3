//go:build slim

package view

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/flow"
)

// Headers are what the headers of packets tell: the build for routers reads none.
type Headers struct{}

func (*View) untried() float64 { return 0 }

// The build for routers does not ask these, for its size.
func (*View) levelBelowTrains() bool    { return false }
func (*View) heldAnyway() bool          { return false }
func (*View) windowUnused() bool        { return false }
func (*View) takesTurns() bool          { return false }
func (*View) leftAlike() bool           { return false }
func (*View) passesWhole() bool         { return false }
func (*View) drainsOnWayBack() bool     { return false }
func (*View) hasFewPackets() bool       { return false }
func (*View) Releases() bool            { return false }
func (*View) refills() bool             { return false }
func (*View) OneLimit() bool            { return false }
func (*View) pushesAside(Constant) bool { return false }

func (*View) UDPLosesAlone() bool                          { return false }
func (*View) policerByBucket() (limit float64, found bool) { return 0, false }
func (*View) stands() bool                                 { return true }
func (*View) shortened() bool                              { return false }
func (v *View) DrainsOnce() bool                           { return v.falls() }
func (*View) atRest() flow.Spread                          { return flow.Spread{} }
func (*View) interleaved() (line float64, found bool)      { return 0, false }

// Nor does it correct what a moment told by what lasts.
func (*View) Lasting(limit float64) float64 { return limit }
func filling(seen.Rung) float64             { return 1 }
