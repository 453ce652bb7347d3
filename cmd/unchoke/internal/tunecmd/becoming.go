//go:build !slim

package tunecmd

import (
	"unchoke/internal/remote"

	"unchoke/cmd/unchoke/internal/cli"
)

// becoming are the options of SSH to a host on which sudo may be wanted. The
// password is asked for once, and given to every connection.
func becoming(a *cli.App, f onFlags) remote.Options {
	o := remote.Options{FarBinary: f.FarBinary, Become: f.become}
	if f.become {
		o.Password = a.PasswordOnce(f.on)
	}
	return o
}
