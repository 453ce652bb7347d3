package finding

import "fmt"

// Certainty is a class of confidences, with how often verdicts of it were right
// when checks met paths that nobody had looked at.
type Certainty struct {
	Least     float64 // confidence
	Words     string
	Right, Of int // verdicts
}

// Certainties are the classes, the surest first. Right and Of are those of ten draws by
// three hands at first sight, of one and two impairments and over ssh, from 20271101 to
// 20271206, and of two written lists (docs/diagnosis.md; `make bench-diagnosis` counts by
// the same classes).
var Certainties = []Certainty{
	{0.95, "nearly certain", 305, 309},
	{0.8, "likely", 220, 228},
	{0, "a guess", 102, 141},
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
