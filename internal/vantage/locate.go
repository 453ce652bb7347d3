package vantage

import "slices"

// tells is what a place's checks say of a symptom.
type tells int

const (
	silent   tells = iota // they would not have shown it
	affected              // they show it
	clean                 // they show that it is not there
)

// candidates are the segments that all affected places' ways have in common and
// that no clean one's passes, in order from the places to the target. A clean
// place's own host is no part of what others pass: it forwards for them, and
// ends no connection of theirs.
func (n *network) candidates(said map[*view]tells) []Segment {
	var common []Segment
	first := true
	for _, v := range n.views {
		if said[v] != affected {
			continue
		}
		way := n.way(v)
		if first {
			common, first = way, false
			continue
		}
		common = slices.DeleteFunc(common, func(s Segment) bool { return !slices.Contains(way, s) })
	}
	for _, v := range n.views {
		if said[v] == clean {
			way := n.way(v)
			common = slices.DeleteFunc(common, func(s Segment) bool { return slices.Contains(way, s) })
		}
	}
	return common
}

// onPath chooses among candidates for a cause of the network: a host itself only
// where nothing else remains, since what packets of its own suffer in it shows
// in its own figures, and those are asked apart.
func onPath(candidates []Segment) (Segment, bool) {
	network := slices.DeleteFunc(slices.Clone(candidates), func(s Segment) bool { return s.Kind == KindPlace || s.Kind == KindTarget })
	switch {
	case len(network) == 1:
		return network[0], true
	case len(network) == 0 && len(candidates) == 1:
		return candidates[0], true
	}
	return Segment{Kind: KindUnclear}, false
}
