// Collection writes the reference of the Ansible collection, as Markdown, from
// the documentation in its modules and its role's argument specifications.
//
//	collection DIR >docs/ansible-reference.md
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: collection DIR")
		os.Exit(2)
	}
	text, err := reference(os.DirFS(os.Args[1]))
	if err == nil {
		_, err = os.Stdout.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "collection:", err)
		os.Exit(1)
	}
}
