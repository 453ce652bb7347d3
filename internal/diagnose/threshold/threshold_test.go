package threshold

import "testing"

// A threshold that is scaled decides, and has its value again afterwards.
func TestScaled(t *testing.T) {
	var half float64
	row := New(&half, "half", 0.5, "two of them are one")
	if half != 0.5 || row.InForce() != 0.5 {
		t.Fatalf("%+v, in force %g", row, half)
	}
	row.Scaled(3, func() {
		if half != 1.5 || row.InForce() != 1.5 {
			t.Errorf("three times a half is %g", half)
		}
	})
	if half != 0.5 {
		t.Errorf("afterwards it is %g", half)
	}
}
