package draw

import "fmt"

// Hand is a way of drawing, named for where its author began. Rules that were
// tuned on what one hand draws are tested on another's.
type Hand string

const (
	// Links begins with a kind of access and impairs it in one way, or two.
	Links Hand = "links"
	// Places begins with where a user is, and asks what goes wrong there.
	Places Hand = "places"
	// Homes begins with what people are connected to, by how many are, and with
	// what their lines commonly suffer from.
	Homes Hand = "homes"
)

// String and Set make a Hand a flag.
func (h *Hand) String() string { return string(*h) }

// Set takes one of the hands' names.
func (h *Hand) Set(name string) error {
	switch Hand(name) {
	case Links, Places, Homes:
		*h = Hand(name)
		return nil
	}
	return fmt.Errorf("%q is none of %s, %s and %s", name, Links, Places, Homes)
}

// New draws the path of an index: with double, two things are wrong with it.
func (h Hand) New(seed uint64, index int, double bool) Draw {
	switch h {
	case Places:
		return newAtPlace(seed, index, double)
	case Homes:
		return newOnNetwork(seed, index, double)
	}
	return New(seed, index, double)
}
