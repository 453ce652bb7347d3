package main

import (
	"time"

	"github.com/spf13/cobra"

	"unchoke/internal/app/request"
	"unchoke/internal/state"
)

// measureFlags are what every command takes that measures a path.
type measureFlags struct {
	wait       time.Duration
	tokenFile  string
	noSave     bool
	ipv4, ipv6 bool
	sshFlags
}

func (f *measureFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.DurationVar(&f.wait, "wait", 10*time.Second, "wait this `TIME` for a server that is busy with another test")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token that \"unchoke serve --token-file\" requires")
	flags.BoolVar(&f.noSave, "no-save", false, "do not save the record")
	flags.BoolVarP(&f.ipv4, "ipv4", "4", false, "use IPv4 only")
	flags.BoolVarP(&f.ipv6, "ipv6", "6", false, "use IPv6 only")
	cmd.MarkFlagsMutuallyExclusive("ipv4", "ipv6")
	f.sshFlags.add(cmd)
}

// request is what the flags ask of every use case that measures.
func (f measureFlags) request(target string) (request.Request, error) {
	q := request.Request{Target: target, Version: programVersion(), FarBinary: f.farBinary}
	switch {
	case f.ipv4:
		q.Family = request.IPv4
	case f.ipv6:
		q.Family = request.IPv6
	}
	if f.tokenFile != "" {
		token, err := readToken(f.tokenFile)
		if err != nil {
			return q, err
		}
		q.Token = token
	}
	if !f.noSave {
		store, err := state.DefaultStore()
		if err == nil {
			q.Store = &store
		}
		q.NoStore = err
	}
	return q, nil
}
