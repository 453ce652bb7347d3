package finding

import "fmt"

// Certainty is a class of confidences, in words.
type Certainty struct {
	Least float64 // confidence
	Words string
}

// Certainties are the classes, the surest first.
var Certainties = []Certainty{
	{0.95, "nearly certain"},
	{0.85, "likely"},
	{0, "a guess"},
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

// Sureness says the class of a check's confidence, and the share of such verdicts that
// were right.
func Sureness(confidence float64) string {
	return fmt.Sprintf("%s, right in %.0f of 100 such cases", CertaintyOf(confidence).Words, 100*confidence)
}
