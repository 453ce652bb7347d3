// Package render is how reports look: text, markdown, HTML and JSON that are
// safe to show, tables, axes, and figures as people read them. It knows no
// record and no finding.
//
// Targets, records, far ends and file names are what others wrote. They become
// output through Screen, Markdown, HTML and JSON alone, each of which makes
// every string safe at the one place where it writes.
package render
