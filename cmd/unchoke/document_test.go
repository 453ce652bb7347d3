package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"unchoke/internal/lab"
	"unchoke/internal/tools/schema"
)

// statusInvalid ends a command of a script that printed a document which its
// schema refuses. No command has it.
const statusInvalid = 99

// validated is main for the scripts: what a command prints with --json is held
// against the published schemas, also where it runs in the lab.
func validated() {
	lab.Main()
	if !slices.Contains(os.Args, "--json") && !slices.Contains(os.Args, "json") {
		os.Exit(runUntilSignal(os.Stdout))
	}
	var printed bytes.Buffer
	status := runUntilSignal(io.MultiWriter(os.Stdout, &printed))
	if err := schema.Validate(printed.Bytes()); err != nil {
		fmt.Fprintf(os.Stderr, "%v printed: %v\n", os.Args, err)
		status = statusInvalid
	}
	os.Exit(status)
}
