package check

import (
	"testing"

	"unchoke/internal/record"
)

func TestProof(t *testing.T) {
	for file, want := range map[string]string{
		"loss-limited--wireguard-up": "unchoke ab far:5201 --arm cc=cubic --arm cc=bbr",
		"loss-limited--rare":         "unchoke ab far:5201 --arm cc=cubic --arm cc=bbr --direction down",
		"receive-window--near":       "unchoke ab far:5201 --arm streams=1 --arm streams=8 --direction down",
		"healthy--bbr-on-loss":       "",
		"bufferbloat--gre":           "unchoke ab far:5201 --arm cc=bbr --arm cc=cubic",
	} {
		if got := checkOf(t, "../../diagnose/testdata/"+file+".json.gz").Proof; got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// A comparison of a URL can prove nothing where the server wants what neither the
// record nor a flag of ab has.
func TestProofOfAURL(t *testing.T) {
	whole := checkOf(t, "../../diagnose/fetched/testdata/receive-window--small-rmem.json.gz")
	if want := "unchoke ab " + whole.Target + " --arm streams=1 --arm streams=8"; whole.Proof != want {
		t.Errorf("%q, want %q", whole.Proof, want)
	}
	for name, hide := range map[string]func(*Report, *record.Fetch){
		"a query":  func(c *Report, _ *record.Fetch) { c.Target += "?key=…" },
		"a header": func(_ *Report, f *record.Fetch) { f.Headers = []string{"Authorization"} },
		"cookies":  func(_ *Report, f *record.Fetch) { f.Cookies = true },
	} {
		c, f := whole, *whole.Fetch
		c.Fetch = &f
		hide(&c, &f)
		if got := c.proof(); got != "" {
			t.Errorf("with %s: %q", name, got)
		}
	}
}
