package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A tool is a program that the build runs, and the package that has it on
// Debian and Ubuntu.
type tool struct{ program, pkg string }

var buildTools = []tool{
	{"make", "make"},
	{"gcc", "gcc"},
	{"ld", "binutils"},
	{"flex", "flex"},
	{"bison", "bison"},
	{"bc", "bc"},
	{"perl", "perl"},
	{"tar", "tar"},
	{"xz", "xz-utils"},
}

// patchTool is needed only where there are patches.
var patchTool = tool{"patch", "patch"}

// libcHeader stands for the C library's headers, which User-Mode Linux is
// compiled with since it is an ordinary program.
const libcHeader = "/usr/include/stdio.h"

// MissingError names what the build lacks on this host.
type MissingError struct {
	What     string
	Packages []string // of Debian and Ubuntu
}

func (e *MissingError) Error() string { return "build the lab kernel: " + e.What }

// Hint is the command that installs what is missing.
func (e *MissingError) Hint() string {
	return "apt-get install " + strings.Join(e.Packages, " ") + "; or install the package unchoke-lab-kernel of this version, which has a kernel"
}

func missing(what string, packages []string) error {
	return &MissingError{What: what, Packages: packages}
}

// CheckTools returns a MissingError that names every program and header which
// the build needs and this host lacks, and the source package where opts names
// no other source.
func CheckTools(opts Options) error {
	return checkTools(exec.LookPath, os.Stat, opts)
}

func checkTools(look func(string) (string, error), stat func(string) (os.FileInfo, error), opts Options) error {
	var names, packages []string
	need := func(name, pkg string) {
		names = append(names, name)
		if !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	}
	tools := buildTools
	if len(opts.Patches) > 0 {
		tools = append(slices.Clone(tools), patchTool)
	}
	for _, t := range tools {
		if _, err := look(t.program); err != nil {
			need(t.program, t.pkg)
		}
	}
	if _, err := stat(libcHeader); err != nil {
		need("the C library's headers", "libc6-dev")
	}
	if opts.Source == "" {
		if _, err := FindSource(); err != nil {
			need("kernel source "+MinVersion+" or later in /usr/src", sourcePackage())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return missing(fmt.Sprintf("missing here: %s", strings.Join(names, ", ")), packages)
}
