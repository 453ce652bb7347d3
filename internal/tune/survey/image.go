package survey

import (
	"io/fs"
	"strings"

	"unchoke/internal/tune"
)

// imageFile is a file of an image as a change holds it, without its owner,
// who may have another number here.
func imageFile(root fs.FS, name string) (string, bool) {
	name = strings.TrimPrefix(name, "/")
	info, err := fs.Lstat(root, name)
	if err != nil {
		return "", false
	}
	var v tune.FileValue
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		v.Link, err = fs.ReadLink(root, name)
	case info.Mode().IsRegular():
		v.Mode = info.Mode().Perm()
		v.Content, err = fs.ReadFile(root, name)
	default:
		return "", false
	}
	if err != nil {
		return "", false
	}
	return *tune.Encode(v), true
}
