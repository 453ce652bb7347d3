// Package ends has the causes that sit in a host: its buffers and windows, its program,
// its processor, its sockets. A rule is as package rules says.
package ends
