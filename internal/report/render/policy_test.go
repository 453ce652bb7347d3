//go:build !slim

package render

import "testing"

func TestPolicy(t *testing.T) {
	// The hash of "a{}", by sha256sum and base64.
	const style = "default-src 'none'; style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='"
	if got := Policy("a{}", ""); got != style {
		t.Errorf("%s", got)
	}
	if got, want := Policy("a{}", "a{}"), style+"; script-src"+style[len("default-src 'none'; style-src"):]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
