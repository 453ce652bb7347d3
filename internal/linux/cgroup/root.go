package cgroup

import "io/fs"

// Root is where the hierarchy of version 2 is mounted, without the leading slash;
// ok is false where it is not. The tree is laid out as the root of a file system.
func Root(tree fs.FS) (dir string, ok bool) {
	mounts, err := fs.ReadFile(tree, "proc/self/mountinfo")
	if err != nil {
		return "", false
	}
	return mounted(string(mounts), 2, "")
}
