//go:build slim

package cli

import "unchoke/cmd/unchoke/internal/command"

// SSHFlags are none: this build is no near end of a session.
type SSHFlags struct{ FarBinary string }

func (*SSHFlags) Add(*command.Command) {}
