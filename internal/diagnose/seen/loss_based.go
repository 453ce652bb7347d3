package seen

// LossBased names the congestion controls that take a lost packet for
// congestion. Of the others, vegas and its kin back off as well, but for delay
// first.
var LossBased = map[string]bool{
	"cubic": true, "reno": true, "bic": true, "htcp": true, "hstcp": true,
	"hybla": true, "illinois": true, "scalable": true, "veno": true,
	"westwood": true, "yeah": true, "cdg": true, "dctcp": true, "lp": true,
	"nv": true, "vegas": true,
}

// LossBasedOrUnknown says that a congestion control takes losses for congestion, or that
// nobody knows which it is.
func LossBasedOrUnknown(cc string) bool { return cc == "" || LossBased[cc] }
