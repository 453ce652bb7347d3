//go:build slim

package cli

// moduleVersion is left to those who build for routers: they set the version.
func moduleVersion() string { return "" }
