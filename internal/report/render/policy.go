//go:build !slim

package render

import (
	"crypto/sha256"
	"encoding/base64"
)

// Policy is the content security policy (CSP level 3) of a page that brings its
// own style and script, each as one element with exactly this text, and needs
// nothing else. What foreign text could bring has another hash. script may be
// empty: none runs.
func Policy(style, script string) string {
	policy := "default-src 'none'; style-src " + hashOf(style)
	if script != "" {
		policy += "; script-src " + hashOf(script)
	}
	return policy
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
