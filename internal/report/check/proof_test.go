package check

import "testing"

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
