//go:build slim

package iperf3

import (
	"errors"
	"time"
)

// A Login is what stock servers with accounts want: not in this build.
type Login struct{ Username, Password string }

// token refuses: encryption by RSA would be a twentieth of the slim build, whose
// commands have no logins.
func (l *Login) token(time.Time) (string, error) {
	return "", errors.New("encrypt the login: not in a build with the tag slim")
}
