package iperf3

import "testing"

// No two tests have one cookie.
func TestNewCookie(t *testing.T) {
	if a, b := newCookie(), newCookie(); a == b {
		t.Errorf("%q twice", a)
	}
}
