//go:build !slim

package iperf3

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"time"
)

// token encrypts the login. The server refuses one whose time is more than
// its skew threshold, 10 s unless told otherwise, from its own.
func (l *Login) token(now time.Time) (string, error) {
	text := fmt.Appendf(nil, "user: %s\npwd:  %s\nts:   %d", l.Username, l.Password, now.Unix())
	var sealed []byte
	var err error
	if l.PKCS1Padding {
		//lint:ignore SA1019 servers older than 3.17 take nothing else
		sealed, err = rsa.EncryptPKCS1v15(rand.Reader, l.ServerKey, text)
	} else {
		sealed, err = rsa.EncryptOAEP(sha1.New(), rand.Reader, l.ServerKey, text, nil) // OpenSSL's default hash
	}
	if err != nil {
		return "", fmt.Errorf("encrypt the login: %w", err)
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}
