//go:build !slim

package render

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.css
var baseStyle string

// PageStyle returns the style sheet of a page: what all pages share, then its own.
func PageStyle(own string) string { return baseStyle + own }

// HTML writes a page. The template escapes markup; characters that could draw
// over the page are shown as escapes wherever they stand.
func HTML(w io.Writer, page *template.Template, data any) error {
	var b strings.Builder
	if err := page.Execute(&b, data); err != nil {
		return err
	}
	_, err := io.WriteString(w, printableDocument(b.String()))
	return err
}
