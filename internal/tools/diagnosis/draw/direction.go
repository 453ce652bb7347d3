package draw

// Direction is seen from near, as in a check's report.
type Direction string

const (
	Up   Direction = "up"   // near → far
	Down Direction = "down" // far → near
)

// Both directions, in the order in which they are measured.
var Both = []Direction{Up, Down}

// Other is the way back.
func (d Direction) Other() Direction {
	if d == Up {
		return Down
	}
	return Up
}
