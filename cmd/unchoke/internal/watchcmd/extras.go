//go:build !slim

package watchcmd

// newWatchExtras are all that watch can do beside what it shows.
func newWatchExtras() []watchExtra {
	return []watchExtra{
		&watchPrometheus{},
		&watchWeb{},
	}
}
