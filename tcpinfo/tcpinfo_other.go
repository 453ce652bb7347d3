//go:build !linux && !darwin && !windows

package tcpinfo

// GetFD returns ErrNotSupported.
func GetFD(int) (Info, error) { return Info{}, ErrNotSupported }
