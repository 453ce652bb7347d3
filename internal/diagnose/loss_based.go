package diagnose

// lossBased names the congestion controls that take a lost packet for
// congestion. Of the others, vegas and its kin back off as well, but for delay
// first.
var lossBased = map[string]bool{
	"cubic": true, "reno": true, "bic": true, "htcp": true, "hstcp": true,
	"hybla": true, "illinois": true, "scalable": true, "veno": true,
	"westwood": true, "yeah": true, "cdg": true, "dctcp": true, "lp": true,
	"nv": true, "vegas": true,
}
