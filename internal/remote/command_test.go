package remote

import (
	"slices"
	"strings"
	"testing"
)

// Only what a configuration changes is set back: an older ssh knows no other names.
func TestHeld(t *testing.T) {
	for text, want := range map[string]string{
		"hostname far\nconnecttimeout none\n":                                           "",
		"sessiontype default\nstdinnull no\nforkafterauthentication no\n":               "",
		"remotecommand tmux new -A\n":                                                   "-o RemoteCommand=none",
		"sessiontype none\nstdinnull yes\nforkafterauthentication yes\n":                "-o SessionType=default -o StdinNull=no -o ForkAfterAuthentication=no",
		"sessiontype subsystem\nstdinnull no\nforkafterauthentication no\nhostname x\n": "-o SessionType=default",
	} {
		if got := parseConfig(text).held; !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
