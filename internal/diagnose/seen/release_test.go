package seen

import "testing"

// What a distribution adds to a release is not read, and what is no release is unknown.
func TestRelease(t *testing.T) {
	for text, want := range map[string]struct {
		numbers [3]int
		known   bool
	}{
		"6.12.3-1-amd64":         {[3]int{6, 12, 3}, true},
		"6.18":                   {[3]int{6, 18, 0}, true},
		"5.15.0":                 {[3]int{5, 15, 0}, true},
		"6.1.rc3":                {[3]int{6, 1, 0}, true},
		"6":                      {[3]int{6, 0, 0}, false},
		"6.":                     {[3]int{6, 0, 0}, false},
		"":                       {[3]int{}, false},
		"unknown":                {[3]int{}, false},
		"99999999999999999999.1": {[3]int{}, false},
	} {
		if numbers, known := Release(text); known != want.known || known && numbers != want.numbers {
			t.Errorf("%q: %v, %v", text, numbers, known)
		}
	}
}
