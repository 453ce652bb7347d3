package finding

import "fmt"

// Certainty is a class of confidences, with how often verdicts of it were right
// when checks met paths that nobody had looked at.
type Certainty struct {
	Least     float64 // confidence
	Words     string
	Right, Of int // verdicts
}

// Certainties are the classes, the surest first. Right and Of are those of nine
// draws by two hands at first sight, from 20261123 to 20261214 (docs/diagnosis.md;
// `make bench-diagnosis` counts by the same classes).
var Certainties = []Certainty{
	{0.95, "nearly certain", 301, 316},
	{0.8, "likely", 120, 130},
	{0, "a guess", 45, 79},
}

// CertaintyOf is the class of a confidence.
func CertaintyOf(confidence float64) Certainty {
	for _, c := range Certainties {
		if confidence >= c.Least {
			return c
		}
	}
	return Certainties[len(Certainties)-1]
}

// String says the class, and how often it was right.
func (c Certainty) String() string {
	return fmt.Sprintf("%s, right in %.0f of 100 such cases", c.Words, 100*float64(c.Right)/float64(c.Of))
}
