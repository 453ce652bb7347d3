package apply

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"strings"
)

// token is a random word of 40 bits: few enough to type, and more than anyone
// can try in two minutes at one lock a try.
func (t *Tuner) token() string {
	b := make([]byte, 5)
	t.Random(b)
	word := strings.ToLower(base32.StdEncoding.EncodeToString(b))
	return word[:4] + "-" + word[4:]
}

// hash is what the journal keeps of a token.
func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func sameToken(hashed, token string) bool {
	given := hash(strings.ToLower(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare([]byte(hashed), []byte(given)) == 1
}
