// Package sysctlkey knows how the keys of kernel parameters are written. It reaches no
// kernel: package sysctl does.
package sysctlkey

import "strings"

// Path is the key's file below /proc/sys. As in sysctl.d(5), the first
// separator tells how the key is written: after a dot, dots separate and
// slashes stand for dots (net.ipv4.conf.eth0/1.forwarding); after a slash,
// slashes do.
func Path(key string) string {
	i := strings.IndexAny(key, "./")
	if i < 0 || key[i] == '/' {
		return key
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '.':
			return '/'
		case '/':
			return '.'
		}
		return r
	}, key)
}
