//go:build !slim

package iperf3

import "crypto/rsa"

// A Login is what stock servers started with --rsa-private-key-path want.
// Since 3.17 they want it encrypted with OAEP padding; older ones, and newer
// ones with --use-pkcs1-padding, with PKCS #1 v1.5.
type Login struct {
	Username, Password string
	ServerKey          *rsa.PublicKey
	PKCS1Padding       bool
}
