//go:build !slim

package cli

import (
	"github.com/spf13/cobra"
)

// SSHFlags are what a target takes that is reached over SSH.
type SSHFlags struct {
	FarBinary string
}

func (f *SSHFlags) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.FarBinary, "far-binary", "", "for ssh:// targets: start `FILE` there, or if that is a directory its file unchoke-SYSTEM-ARCHITECTURE (default: the unchoke of that host, else this one)")
}
