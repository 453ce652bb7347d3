package vantage

// Kind of a segment.
type Kind string

const (
	KindPlace   Kind = "place"   // the host From itself: its processors, card, settings
	KindBetween Kind = "between" // between the place From and the place To, which lies on its way
	KindWay     Kind = "way"     // from the place From to where its way meets the others'
	KindBeyond  Kind = "beyond"  // what all ways have in common, and the target
	KindTarget  Kind = "target"  // the target itself
	KindUnclear Kind = "unclear" // not to be told from these places
)

// Segment is a part of the ways from the places to the target.
type Segment struct {
	Kind Kind   `json:"kind"`
	From string `json:"from,omitempty"` // a place's name
	To   string `json:"to,omitempty"`   // of the place on From's way, for between
}

// AtPlace is a place itself.
func AtPlace(name string) Segment { return Segment{Kind: KindPlace, From: name} }

// Between is the way from a place to another that its packets pass.
func Between(from, to string) Segment { return Segment{Kind: KindBetween, From: from, To: to} }

// OwnWay is a place's way to where it meets those of the other places.
func OwnWay(from string) Segment { return Segment{Kind: KindWay, From: from} }

// BeyondAll is what all places' ways have in common, and the target.
func BeyondAll() Segment { return Segment{Kind: KindBeyond} }

// AtTarget is the target itself.
func AtTarget() Segment { return Segment{Kind: KindTarget} }
