//go:build !slim

package labcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/lab/analysis"
	"unchoke/internal/lab/sweep/store"
	"unchoke/internal/path"
	labreport "unchoke/internal/report/lab"
	"unchoke/internal/report/render"
)

// reportFormats are those of lab report, with the extension that stands for
// each.
var reportFormats = []struct{ name, extension string }{
	{"text", ".txt"}, {"markdown", ".md"}, {"html", ".html"}, {"json", ".json"},
}

type reportFlags struct {
	json              bool
	format, out, part string
}

func newReportCommand(a *cli.App) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "say what a sweep found: cliffs, scatter, loss, what to use",
		Long: `Report reads what "unchoke lab run" wrote to DIR, even if the sweep is not
complete, and derives what the data allows: retention against jitter/RTT with
each curve's cliff and its interval, the chaos zone, loss tolerance compared with
theory, congestion controls compared, video quality, sharing with another stream,
socket buffers, gaps, what reordering does to the sender, and the agreement with
the jitter-cliff article. Several directories are reported as one study.

The HTML is one file that loads nothing else; its plots show the values under
the pointer.`,
		Example: `  unchoke lab report out/chaos
  unchoke lab report out/article --out article.html
  unchoke lab report out/jitter out/loss --format markdown`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("lab report needs a DIR that lab run wrote")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return reportStudy(a, args, f) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	flags := cmd.Flags()
	cli.AddJSONFlag(cmd, &f.json)
	flags.StringVar(&f.format, "format", "", "`FORM` of the report: text, markdown, html or json (default: by the extension of --out, else text)")
	flags.StringVarP(&f.out, "out", "o", "", "write the report to `FILE`")
	flags.StringVar(&f.part, "part", "", "show only this `PART`, such as the-jitter-cliff or agreement")
	_ = cmd.RegisterFlagCompletionFunc("part", func(_ *cobra.Command, dirs []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		study, _ := OpenStudy(dirs) // without results it has no parts
		return labreport.Parts(study), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	cli.CompleteForm(cmd, "text", "markdown", "html", "json")
	return cmd
}

// reportStudy reads, analyses and shows.
func reportStudy(a *cli.App, dirs []string, f reportFlags) error {
	format, err := f.chosen()
	if err != nil {
		return err
	}
	lab, err := OpenStudy(dirs)
	if err != nil {
		return err
	}
	if f.part != "" {
		if lab, err = lab.Only(f.part); err != nil {
			return cli.Usage(err)
		}
	}
	var b bytes.Buffer
	if err := writeLab(a, &b, lab, format, f.out != ""); err != nil {
		return err
	}
	if f.out == "" {
		_, err = b.WriteTo(a.Stdout)
		return err
	}
	return replaceFile(f.out, b.Bytes())
}

// chosen is the format asked for, or the one that the file's name stands for.
func (f reportFlags) chosen() (string, error) {
	if f.json {
		return "json", nil
	}
	var names, extensions []string
	extension := filepath.Ext(f.out)
	for _, known := range reportFormats {
		if f.format == known.name || f.format == "" && f.out != "" && extension == known.extension {
			return known.name, nil
		}
		names, extensions = append(names, known.name), append(extensions, known.extension)
	}
	switch {
	case f.format != "":
	case extension == "":
		return "text", nil
	default:
		return "", cli.WithHint(cli.Usagef("--out %s: no report is written as %s", f.out, extension),
			"extensions are %s; any other takes --format", strings.Join(extensions, ", "))
	}
	return "", cli.Usagef("unknown format %q: use one of %s", f.format, strings.Join(names, ", "))
}

func writeLab(a *cli.App, w io.Writer, lab labreport.Report, format string, toFile bool) error {
	switch format {
	case "json":
		return lab.JSON(w)
	case "html":
		return lab.HTML(w)
	case "markdown":
		return lab.Markdown(w)
	}
	style := a.Style()
	if toFile {
		style = render.Style{Width: textFileWidth}
	}
	return lab.Text(w, style)
}

// textFileWidth is that of a text report in a file, which no terminal bounds.
const textFileWidth = 140

// OpenStudy reads the directories' results as one study.
func OpenStudy(dirs []string) (labreport.Report, error) {
	var study analysis.Study
	var names []string
	var kernel string
	missing := 0
	for i, dir := range dirs {
		r, err := store.Open(dir)
		if errors.Is(err, store.ErrNoResults) {
			return labreport.Report{}, cli.WithHint(err, "unchoke lab run PRESET --out %s makes them", dir)
		}
		if err != nil {
			return labreport.Report{}, err
		}
		for _, row := range r.Rows {
			if row.Repetition == 0 || row.Path.Schedule != (path.Schedule{}) {
				samples, err := r.Series(row)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return labreport.Report{}, err
				}
				if err == nil {
					study.Series = append(study.Series, analysis.Series{Row: row, Samples: samples})
				}
			}
			// Cells of several directories keep their order.
			row.Cell += i * maxCells
			study.Rows = append(study.Rows, row)
		}
		names = append(names, r.Summary.Name)
		kernel = r.Summary.Kernel.Version
		if !r.Summary.Complete {
			missing += max(0, r.Summary.PlannedRuns-len(r.Rows))
		}
	}
	study.Name = strings.Join(names, ", ")
	return labreport.New(study, cli.ProgramVersion(), kernel, missing), nil
}

// maxCells is more than a sweep can have.
const maxCells = 10_000_000

// replaceFile writes a file whole or not at all.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write report %s: %w", name, err)
	}
	return nil
}
