package wire

import (
	"strings"
	"testing"
)

func TestCookie(t *testing.T) {
	var random [CookieSize - 1]byte
	for i := range random {
		random[i] = byte(i * 7)
	}
	c := CookieOf(random)
	if c[CookieSize-1] != 0 || len(c.String()) != 36 || strings.Trim(c.String(), "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Errorf("%q", c)
	}
	if random[35]++; CookieOf(random) == c {
		t.Errorf("other random bytes give %q, too", c)
	}
}
