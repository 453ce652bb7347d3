package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// moments are a package's scripts, by nfpm's name of when each runs.
type moments map[string][]part

// part is a script of packaging/scripts, and the condition of shell under which
// the format's arguments ask for it.
type part struct{ condition, script string }

// scripts are those of the package unchoke, by format. What is passed to them
// differs: deb-prerm(5) and deb-postrm(5); $1 of an RPM scriptlet is how many
// packages of the name will be left; apk has other scripts for upgrades.
var scripts = map[string]moments{
	"deb": {
		"postinstall": {{`[ "$1" = configure ]`, "installed"}},
		"preremove":   {{`[ "$1" = remove ]`, "removing"}},
		"postremove":  {{`[ "$1" = remove ]`, "removed"}, {`[ "$1" = purge ]`, "purged"}},
	},
	"rpm": {
		"postinstall": {{"true", "installed"}},
		"preremove":   {{`[ "$1" = 0 ]`, "removing"}},
		"postremove":  {{`[ "$1" = 0 ]`, "removed"}},
	},
	"apk": {
		"postinstall": {{"true", "installed"}},
		"preremove":   {{"true", "removing"}},
	},
}

// writeScripts writes a format's scripts and returns their files by moment.
func writeScripts(dir string, all moments) (map[string]string, error) {
	files := map[string]string{}
	for when, parts := range all {
		text, err := compose(parts)
		if err != nil {
			return nil, err
		}
		files[when] = filepath.Join(dir, when)
		if err := write(files[when], []byte(text), 0o755); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func compose(parts []part) (string, error) {
	var b strings.Builder
	b.WriteString("#!/bin/sh\nset -e\n")
	for _, p := range parts {
		text, err := os.ReadFile(filepath.Join("packaging/scripts", p.script+".sh"))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\nif %s; then\n%sfi\n", p.condition, text)
	}
	return b.String(), nil
}
