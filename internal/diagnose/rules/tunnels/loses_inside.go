//go:build !slim

package tunnels

import (
	"fmt"

	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
)

// LosesInside: a stream through a tunnel over UDP loses packets that one outside it does
// not lose, and is several times slower: whatever rate or queue its losses seem to tell of,
// the network has it for TCP.
func LosesInside(v *view.View) *finding.Finding {
	t, _ := heldBack(v)
	inside := v.Losses.Lost()
	switch {
	case v.NoSACK(), t.Untold, t.Perhaps: // it resends what arrived as well, or nobody tells
		return nil
	case t.Freed.N == 0 || t.Free*tunnelShare < farFreer*v.Rate || !freerWhileYoung(v, t):
		return nil
	case inside.Low() <= t.Freed.High(), t.Rate > 0 && 2*seen.LostOf(t.TCP) > t.UDP.Mean():
		return nil // the loss is the path's, whatever is sent
	}
	f := slowerInside(v, t, losesInsideSure,
		finding.Evidence{What: "of one inside lost", Value: inside.Mean(), Unit: finding.Ratio},
		finding.Evidence{What: "of one outside lost", Value: t.Freed.Mean(), Unit: finding.Ratio})
	f.Summary = fmt.Sprintf("Inside the %s tunnel, which travels in UDP, one stream loses %s and carries %s; outside it one loses %s and carries %s. So the network treats UDP worse than TCP, or an end of the tunnel drops packets.",
		v.Run.Route.Tunnel.Kind, words.Percent(inside.Mean()), words.Rate(v.Rate), words.Percent(t.Freed.Mean()), words.Rate(t.Free))
	return f
}

const (
	// farFreer is how many times as much as the inside a stream outside carries.
	farFreer = 3
	// losesInsideSure: 2 of 2 kept directions like that, and no turns proved that it is UDP.
	losesInsideSure = 0.7
)
