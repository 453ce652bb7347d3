package closely

import "unchoke/internal/record"

// Figures are what only looks many times a second tell.
type Figures struct {
	Looks int
}

// Of reads the connection's series.
func Of(r *record.Run) *Figures {
	s, _ := series(r)
	return &Figures{Looks: len(s.Samples)}
}
