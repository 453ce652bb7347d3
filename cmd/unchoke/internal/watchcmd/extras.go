//go:build !slim

package watchcmd

// newExtras are all that watch can do beside what it shows.
func newExtras() []extra {
	return []extra{
		&exporter{},
		&page{},
	}
}
