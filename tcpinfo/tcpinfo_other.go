//go:build !linux

package tcpinfo

import "syscall"

// Get returns ErrNotSupported.
func Get(syscall.RawConn) (Info, error) { return Info{}, ErrNotSupported }

// GetFD returns ErrNotSupported.
func GetFD(int) (Info, error) { return Info{}, ErrNotSupported }

// GetCC returns ErrNotSupported.
func GetCC(syscall.RawConn) (string, CC, error) { return "", CC{}, ErrNotSupported }

// GetCCFD returns ErrNotSupported.
func GetCCFD(int) (string, CC, error) { return "", CC{}, ErrNotSupported }
