//go:build !slim

package measurecmd

// rootAdds is what a check does with root and not without.
const rootAdds = `; with root it also reads the headers of its own packets, which tell others'
traffic from random loss`
