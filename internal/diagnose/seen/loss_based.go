package seen

import "slices"

// lossBased are the congestion controls that take a lost packet for congestion. Of
// the others, vegas and its kin back off as well, but for delay first.
var lossBased = []string{
	"cubic", "reno", "bic", "htcp", "hstcp", "hybla", "illinois", "scalable", "veno",
	"westwood", "yeah", "cdg", "dctcp", "lp", "nv", "vegas",
}

// LossBased says that a congestion control takes a lost packet for congestion.
func LossBased(cc string) bool { return slices.Contains(lossBased, cc) }

// LossBasedOrUnknown says that a congestion control takes losses for congestion, or that
// nobody knows which it is.
func LossBasedOrUnknown(cc string) bool { return cc == "" || LossBased(cc) }
