// Package pidfd borrows what other processes have open.
package pidfd
