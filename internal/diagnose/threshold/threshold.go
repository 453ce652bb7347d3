// Package threshold has the form of the numbers by which a diagnosis decides: each
// room of it keeps a table of its own, with the reason of every value.
package threshold

// Threshold is a number by which the diagnosis decides.
type Threshold struct {
	Name  string
	Value float64
	// Why is the physics or the measurement behind the value.
	Why string

	at *float64
}

// New gives a number its value, and is its row in a table.
func New(at *float64, name string, value float64, why string) Threshold {
	*at = value
	return Threshold{Name: name, Value: value, Why: why, at: at}
}

// InForce is the value by which the diagnosis decides just now.
func (t Threshold) InForce() float64 { return *t.at }

// Scaled calls do while the threshold has a multiple of its value, for benches
// that ask how much depends on it. No other diagnosis may run meanwhile.
func (t Threshold) Scaled(factor float64, do func()) {
	defer func() { *t.at = t.Value }()
	*t.at = factor * t.Value
	do()
}
