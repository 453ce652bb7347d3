//go:build !slim

package main

import (
	"github.com/spf13/cobra"
)

// sshFlags are what a target takes that is reached over SSH.
type sshFlags struct {
	farBinary string
}

func (f *sshFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.farBinary, "far-binary", "", "for ssh:// targets: start `FILE` there, or of a directory the file unchoke-SYSTEM-ARCHITECTURE (default: its own unchoke, else this one)")
}
