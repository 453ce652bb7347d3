package cli

import (
	"time"

	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/app/request"
	"unchoke/internal/state"
)

// MeasureFlags are what every command takes that measures a path.
type MeasureFlags struct {
	Wait       time.Duration
	tokenFile  string
	noSave     bool
	ipv4, ipv6 bool
	SSHFlags
}

func (f *MeasureFlags) Add(cmd *command.Command) {
	flags := cmd.Flags()
	flags.DurationVar(&f.Wait, "wait", 10*time.Second, "wait this `TIME` for a server that is busy with another test")
	flags.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token that \"unchoke serve --token-file\" requires")
	flags.BoolVar(&f.noSave, "no-save", false, "do not save the record")
	flags.BoolVarP(&f.ipv4, "ipv4", "4", false, "use IPv4 only")
	flags.BoolVarP(&f.ipv6, "ipv6", "6", false, "use IPv6 only")
	cmd.MarkFlagsMutuallyExclusive("ipv4", "ipv6")
	f.SSHFlags.Add(cmd)
}

// Request is what the flags ask of every use case that measures.
func (f MeasureFlags) Request(target string) (request.Request, error) {
	q := request.Request{Target: target, Version: ProgramVersion(), FarBinary: f.FarBinary}
	switch {
	case f.ipv4:
		q.Family = request.IPv4
	case f.ipv6:
		q.Family = request.IPv6
	}
	if f.tokenFile != "" {
		token, err := ReadToken(f.tokenFile)
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
