package main

import (
	"fmt"
	"slices"
	"strings"
)

// target is a kind of machine, and what each format calls it.
type target struct {
	name          string
	goarch        string
	settings      []string // of go build's environment
	tags          string
	ldflags       string // beside those of all
	deb, rpm, apk string
}

var targets = []target{
	{"amd64", "amd64", nil, "", "", "amd64", "x86_64", "x86_64"},
	{"arm64", "arm64", nil, "", "", "arm64", "aarch64", "aarch64"},
	{"armv7", "arm", []string{"GOARM=7"}, "", "", "armhf", "armv7hl", "armv7"},
	// Routers: most have no floating-point unit and little flash. What OpenWrt
	// calls its packages is in packaging/openwrt; no release of Alpine is for
	// these machines. Their kernels have pages of 4 or 16 KiB, so that segments need
	// not begin at a multiple of 64.
	{"mipsle", "mipsle", []string{"GOMIPS=softfloat"}, slimTag, " -R 0x4000", "mipsel", "mipsel", "mipsel"},
}

// slimTag is the tag of the build for routers, which lacks commands, metrics and completions.
const slimTag = "slim"

func allTargets() string {
	var names []string
	for _, t := range targets {
		names = append(names, t.name)
	}
	return strings.Join(names, ",")
}

func chooseTargets(names []string) ([]target, error) {
	var chosen []target
	for _, name := range names {
		i := slices.IndexFunc(targets, func(t target) bool { return t.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no target %q: there are %s", name, allTargets())
		}
		chosen = append(chosen, targets[i])
	}
	return chosen, nil
}
