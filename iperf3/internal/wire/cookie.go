package wire

// CookieSize is the length of a cookie in bytes, with the NUL at its end.
const CookieSize = 37

// A Cookie identifies a test: it opens the control connection and every TCP
// data connection.
type Cookie [CookieSize]byte

// CookieOf spells random bytes in iperf3's alphabet, of 32 characters so that a
// byte modulo 32 is unbiased.
func CookieOf(random [CookieSize - 1]byte) (c Cookie) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	for i, b := range random {
		c[i] = alphabet[b%32]
	}
	return c
}

// String returns the cookie without its NUL.
func (c Cookie) String() string { return string(c[:CookieSize-1]) }
