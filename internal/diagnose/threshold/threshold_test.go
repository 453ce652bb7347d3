package threshold

import "testing"

// A threshold that is scaled decides, and has its value again afterwards.
func TestScaled(t *testing.T) {
	half := 0.5
	row := Threshold{At: &half, Name: "half", Why: "two of them are one"}
	if row.Value() != 0.5 {
		t.Fatalf("%+v, of value %g", row, row.Value())
	}
	row.Scaled(3, func() {
		if half != 1.5 || row.Value() != 1.5 {
			t.Errorf("three times a half is %g", half)
		}
	})
	if half != 0.5 {
		t.Errorf("afterwards it is %g", half)
	}
}
