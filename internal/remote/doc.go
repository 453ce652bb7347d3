// Package remote reaches far hosts over the user's own OpenSSH: their
// configuration, agent, jump hosts and known hosts hold.
package remote
