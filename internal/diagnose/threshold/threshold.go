// Package threshold has the form of the numbers by which a diagnosis decides: each
// room of it has them as variables, and a table with the reason of every one.
package threshold

// Threshold is a number by which the diagnosis decides: a row of a table. A table
// is data, not made by code, so that programs that do not read it do not link it.
type Threshold struct {
	At   *float64
	Name string
	// Why is the physics or the measurement behind the value.
	Why string
}

// Value is the number by which the diagnosis decides just now.
func (t Threshold) Value() float64 { return *t.At }

// Scaled calls do while the threshold has a multiple of its value, for benches
// that ask how much depends on it. No other diagnosis may run meanwhile.
func (t Threshold) Scaled(factor float64, do func()) {
	value := *t.At
	defer func() { *t.At = value }()
	*t.At = factor * value
	do()
}
