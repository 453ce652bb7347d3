package kernel

import (
	"context"
	"os/exec"
	"strings"
)

// origin names the distribution's package that a source file came with and its
// version, "linux-source-6.12 6.12.57-1~bpo12+1": what a mirror or
// snapshot.debian.org is asked for. It is empty for a file of no package.
func origin(ctx context.Context, file string) string {
	owner, err := exec.CommandContext(ctx, "dpkg-query", "--search", file).Output()
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(string(owner), ":")
	version, err := exec.CommandContext(ctx, "dpkg-query", "--show", "--showformat=${Package} ${Version}", name).Output()
	if err != nil {
		return ""
	}
	return string(version)
}
