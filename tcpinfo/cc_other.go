//go:build !linux

package tcpinfo

import "syscall"

// GetCC returns ErrNotSupported: no other system tells it of a connection.
func GetCC(syscall.RawConn) (string, CC, error) { return "", CC{}, ErrNotSupported }

// GetCCFD returns ErrNotSupported.
func GetCCFD(int) (string, CC, error) { return "", CC{}, ErrNotSupported }
