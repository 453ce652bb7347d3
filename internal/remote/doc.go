// Package remote reaches far hosts over the user's own OpenSSH: their
// configuration, agent, jump hosts and known hosts hold. It starts unchoke
// there, which it delivers where the far host has none that fits, or the far
// host's iperf3, and leaves nothing behind.
//
//	Dial                    near                              far
//	  ssh, one connection   far.sh, on standard input    →    sh
//	                                                     ←    what is there
//	Session                 "own", or "deliver" and      →    far.sh starts
//	                        the bytes of a program            unchoke session
//	                        the session's lines          ↔
//	Through                 ssh -W over the connection   ↔    a port there
//	Close                   standard input ends          →    ends, removes itself
//
// Who leaves what if killed: far.sh has a guard beside it, which removes the
// directory when far.sh is gone or near gives no sign of life for the lease;
// the delivered program removes its file and directory first thing; ssh ends
// with its input, which ends with this process; a janitor beside it removes
// ssh's control socket then.
package remote

// Scheme begins a target that is reached over SSH.
const Scheme = "ssh://"
