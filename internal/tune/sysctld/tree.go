// Package sysctld tells what the programs that read files of sysctls at boot
// make of a directory tree: systemd-sysctl, procps's sysctl --system and the
// init scripts of OpenWrt and Alpine. Each is simulated in its own file,
// after its source; the tests hold the simulations against the programs.
package sysctld

// Tree is the part of a file system that the readers see: what lies in their
// directories, and where the symbolic links there lead. Keys are absolute
// names within the root.
type Tree map[string]Node

// Node is a file of a tree.
type Node struct {
	Kind    NodeKind `json:"kind"`
	Content []byte   `json:"content,omitempty"` // of a file
	Link    string   `json:"link,omitempty"`    // of a symbolic link: where it points, as it is written
}

// NodeKind is what a node is.
type NodeKind string

const (
	File       NodeKind = "file"
	Dir        NodeKind = "dir"
	Link       NodeKind = "link"
	Null       NodeKind = "null"       // the character device /dev/null
	Unreadable NodeKind = "unreadable" // what cannot be read, a socket or a device
)

// Assignment is a line that sets a key.
type Assignment struct {
	Key   string `json:"key"` // the file below /proc/sys: net/ipv4/tcp_rmem
	Value string `json:"value"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	// Ignore says that the reader is not to report a failure.
	Ignore bool `json:"ignore,omitempty"`
}
