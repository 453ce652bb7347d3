//go:build !slim

package remote

import (
	"encoding/json"
	"net/netip"
	"strings"
)

// Facts are what the far host tells of itself before anything is started there.
// All of it is the far host's word.
type Facts struct {
	System, Machine string // uname -s, uname -m
	BigEndian       bool
	Gzip            bool
	Own             string // path of its unchoke, empty for none
	OwnVersion      string
	OwnProtocol     string   // of sessions, empty for none
	OwnDoes         []string // the requests that it knows beside those that all know
	IPerf3          string   // path, empty for none
	// Near is this host's address as the far host sees it, and Address its own
	// on that connection: of the last jump host where there is one. Either may
	// be invalid.
	Near, Address netip.Addr
}

// add takes one line of far.sh.
func (f *Facts) add(key, value string) {
	switch key {
	case "system":
		f.System = value
	case "machine":
		f.Machine = value
	case "order":
		f.BigEndian = value == "big"
	case "gzip":
		f.Gzip = true
	case "own":
		f.Own = value
	case "version":
		var v struct {
			Version, Session string
			Does             []string `json:"session_does"`
		}
		if json.Unmarshal([]byte(value), &v) == nil {
			f.OwnVersion, f.OwnProtocol, f.OwnDoes = v.Version, v.Session, v.Does
		}
	case "iperf3":
		f.IPerf3 = value
	case "connection": // client address, its port, server address, its port
		if fields := strings.Fields(value); len(fields) == 4 {
			f.Near, _ = netip.ParseAddr(fields[0])
			f.Address, _ = netip.ParseAddr(fields[2])
			f.Near, f.Address = f.Near.Unmap(), f.Address.Unmap()
		}
	}
}

// Platform is the far host's system and architecture in Go's names, "" where
// they are not known.
func (f Facts) Platform() (system, architecture string) {
	switch s := strings.ToLower(f.System); s {
	case "linux", "darwin", "freebsd", "openbsd", "netbsd":
		system = s
	}
	order := func(little, big string) string {
		if f.BigEndian {
			return big
		}
		return little
	}
	switch m := f.Machine; {
	case m == "x86_64" || m == "amd64":
		architecture = "amd64"
	case m == "aarch64" || m == "arm64" || strings.HasPrefix(m, "armv8"):
		architecture = "arm64"
	case strings.HasPrefix(m, "arm"):
		architecture = "arm"
	case len(m) == 4 && m[0] == 'i' && strings.HasSuffix(m, "86"):
		architecture = "386"
	case m == "mips":
		architecture = order("mipsle", "mips")
	case m == "mips64":
		architecture = order("mips64le", "mips64")
	case m == "ppc64le" || m == "riscv64" || m == "s390x" || m == "loong64":
		architecture = m
	}
	return system, architecture
}
