//go:build slim

package cli

import "github.com/spf13/cobra"

// SSHFlags are none: this build is no near end of a session.
type SSHFlags struct{ FarBinary string }

func (*SSHFlags) Add(*cobra.Command) {}
