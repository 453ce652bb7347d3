package small_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"unchoke/cmd/unchoke/internal/command/small"
)

// values are what the flags of both set.
type values struct {
	Bool, Four, Six, Hidden bool
	Text                    string
	Texts                   []string
	Int                     int
	Float                   float64
	Time                    time.Duration
}

// flagSet is what both have.
type flagSet interface {
	BoolVar(p *bool, name string, value bool, usage string)
	BoolVarP(p *bool, name, shorthand string, value bool, usage string)
	StringVar(p *string, name, value, usage string)
	StringArrayVar(p *[]string, name string, value []string, usage string)
	IntVar(p *int, name string, value int, usage string)
	Float64Var(p *float64, name string, value float64, usage string)
	DurationVar(p *time.Duration, name string, value time.Duration, usage string)
	MarkHidden(name string) error
}

func addFlags(s flagSet, v *values) {
	s.StringVar(&v.Text, "text", "a b", "read `FILE` and no more")
	s.BoolVar(&v.Bool, "bool", false, "say so")
	s.BoolVarP(&v.Four, "four", "4", false, "use `IPv4` only")
	s.BoolVarP(&v.Six, "six", "6", true, "use IPv6 only")
	s.BoolVar(&v.Hidden, "hidden", false, "not seen")
	s.StringArrayVar(&v.Texts, "texts", nil, "one `OR` more")
	s.IntVar(&v.Int, "int", 7, "so many")
	s.Float64Var(&v.Float, "float", 0.5, "such a part")
	s.DurationVar(&v.Time, "time", 0, "such a time")
	_ = s.MarkHidden("hidden")
}

// command is what both are.
type command interface {
	CommandPath() string
	UseLine() string
	NamePadding() int
	HasExample() bool
	HasAvailableSubCommands() bool
	HasAvailableLocalFlags() bool
	SuggestionsFor(typed string) []string
}

func describe(w io.Writer, c command, flags []string) error {
	_, err := fmt.Fprintln(w, c.CommandPath(), c.UseLine(), c.HasExample(), c.HasAvailableSubCommands(), c.HasAvailableLocalFlags(), strings.Join(flags, "\n"))
	return err
}

func unknown(c command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s is unknown, near %v", args[0], c.SuggestionsFor(args[0]))
}

// run returns what a command line does: what was printed, and the command, its
// arguments, flags and error.
func (out *result) ran(path string, args []string, changed bool) {
	fmt.Fprintf(&out.text, "%s ran with %q, %t\n", path, args, changed)
}

type result struct {
	text   bytes.Buffer
	values values
}

func (out *result) String() string { return fmt.Sprintf("%s%+v", out.text.String(), out.values) }

func runCobra(args []string) string {
	var out result
	root := &cobra.Command{
		Use: "tool COMMAND", Long: "Tool does it.\n\n", DisableFlagsInUseLine: true, SilenceErrors: true, SilenceUsage: true,
		Args: func(c *cobra.Command, args []string) error { return unknown(c, args) },
		RunE: func(c *cobra.Command, args []string) error { out.ran(c.CommandPath(), args, false); return nil },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.SetOut(&out.text)
	root.SetErr(&out.text)
	root.SetUsageFunc(func(c *cobra.Command) error {
		for _, sub := range c.Commands() {
			fmt.Fprintln(c.OutOrStderr(), sub.Name(), sub.NamePadding(), sub.IsAvailableCommand())
		}
		var flags []string
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			flags = append(flags, fmt.Sprintf("%q", []string{f.Shorthand, f.Name, value, usage, f.DefValue}), fmt.Sprint(f.Hidden, f.Value.Type() == "string"))
		})
		return describe(c.OutOrStderr(), c, flags)
	})
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]...", RunE: func(c *cobra.Command, args []string) error {
		about, rest, err := c.Root().Find(args)
		out.ran(about.CommandPath(), rest, err != nil)
		return about.Help()
	}})
	probe := &cobra.Command{
		Use: "probe [flags] TARGET", Short: "probes",
		RunE: func(c *cobra.Command, args []string) error {
			out.ran(c.CommandPath(), args, c.Flags().Changed("text"))
			return nil
		},
	}
	addFlags(probe.Flags(), &out.values)
	probe.MarkFlagsMutuallyExclusive("six", "four")
	probe.MarkFlagsMutuallyExclusive("int", "bool")
	group := &cobra.Command{Use: "group COMMAND", Short: "groups"}
	group.AddCommand(&cobra.Command{Use: "list", Short: "lists", Example: "x", Args: cobra.NoArgs, RunE: probe.RunE})
	group.Flags().BoolVar(new(bool), "known", false, "of the group")
	absent := &cobra.Command{Use: "a-very-long-name", Hidden: true, DisableFlagParsing: true, RunE: probe.RunE}
	root.AddCommand(probe, group, absent)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(context.Background())
	fmt.Fprintln(&out.text, cmd.CommandPath(), err)
	return out.String()
}

func runSmall(args []string) string {
	var out result
	root := &small.Command{
		Use: "tool COMMAND", Long: "Tool does it.\n\n", DisableFlagsInUseLine: true, SilenceErrors: true, SilenceUsage: true,
		Args: func(c *small.Command, args []string) error { return unknown(c, args) },
		RunE: func(c *small.Command, args []string) error { out.ran(c.CommandPath(), args, false); return nil },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetOut(&out.text)
	root.SetErr(&out.text)
	root.SetUsageFunc(func(c *small.Command) error {
		for _, sub := range c.Commands() {
			fmt.Fprintln(c.OutOrStderr(), sub.Name(), sub.NamePadding(), sub.IsAvailableCommand())
		}
		var flags []string
		c.LocalFlags().VisitAll(func(f *small.Flag) {
			value, usage := small.UnquoteUsage(f)
			flags = append(flags, fmt.Sprintf("%q", []string{f.Shorthand, f.Name, value, usage, f.DefValue}), fmt.Sprint(f.Hidden, f.IsText()))
		})
		return describe(c.OutOrStderr(), c, flags)
	})
	root.SetHelpCommand(&small.Command{Use: "help [COMMAND]...", RunE: func(c *small.Command, args []string) error {
		about, rest, err := c.Root().Find(args)
		out.ran(about.CommandPath(), rest, err != nil)
		return about.Help()
	}})
	probe := &small.Command{
		Use: "probe [flags] TARGET", Short: "probes",
		RunE: func(c *small.Command, args []string) error {
			out.ran(c.CommandPath(), args, c.Flags().Changed("text"))
			return nil
		},
	}
	addFlags(probe.Flags(), &out.values)
	probe.MarkFlagsMutuallyExclusive("six", "four")
	probe.MarkFlagsMutuallyExclusive("int", "bool")
	group := &small.Command{Use: "group COMMAND", Short: "groups"}
	group.AddCommand(&small.Command{Use: "list", Short: "lists", Example: "x", Args: small.NoArgs, RunE: probe.RunE})
	group.Flags().BoolVar(new(bool), "known", false, "of the group")
	absent := &small.Command{Use: "a-very-long-name", Hidden: true, DisableFlagParsing: true, RunE: probe.RunE}
	root.AddCommand(probe, group, absent)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(context.Background())
	fmt.Fprintln(&out.text, cmd.CommandPath(), err)
	return out.String()
}

// Both do the same with every command line.
func TestAsCobra(t *testing.T) {
	cobra.EnableCommandSorting = false
	for _, line := range lines {
		args := strings.Split(line, " ")
		if line == "" {
			args = []string{}
		}
		if got, want := runSmall(args), runCobra(args); got != want {
			t.Errorf("%q\n%s\nwant\n%s", line, got, want)
		}
	}
}

var lines = []string{
	"", "--help", "-h", "help", "nope", "prob", "help probe", "help nope", "help group list", "group", "group --help",
	"group list", "group list x", "group list -h", "group --known list", "group --nope list", "group --nope=1 list", "group nope",
	"probe", "probe --help", "probe -h far", "-h probe", "--nope probe", "--nope=1 probe", "-x probe", "-- probe", "probe -- --text x",
	"a-very-long-name", "a-very-long-name --help x", "a-very-long-name -4",
	"probe far --text x y", "probe --text=x", "probe --text=", "probe --text", "probe --text --bool",
	"probe --bool", "probe --bool=false", "probe --bool=x", "probe --bool false", "probe -4", "probe -46", "probe -4=false", "probe -4=", "probe -4x", "probe -x", "probe -4 -h",
	"probe --texts a --texts b,c", "probe --int 3", "probe --int 0x10", "probe --int x", "probe --int 99999999999999999999", "probe --int -3",
	"probe --float 1e3", "probe --float x", "probe --time 3s", "probe --time 3", "probe --time x",
	"probe --four --six", "probe --int 3 --bool --four --six", "probe --hidden", "probe --nope", "probe ---nope", "probe --=x", "probe -", "probe - --bool", "probe --help --nope", "probe --nope --help",
	"--help probe --nope", "probe far group list", "far probe", "probe probe",
}

func FuzzAsCobra(f *testing.F) {
	cobra.EnableCommandSorting = false
	for _, line := range lines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII }) {
			return // cobra names half a letter
		}
		args := strings.Split(line, " ")
		if got, want := runSmall(args), runCobra(args); got != want {
			t.Errorf("%q\n%s\nwant\n%s", line, got, want)
		}
	})
}

// The usage's value is taken out of its quotes as there.
func TestUnquoteUsage(t *testing.T) {
	for _, usage := range []string{"no value", "a `VALUE` here", "`VALUE`", "an open `quote", "`two` of `them`"} {
		value, text := small.UnquoteUsage(&small.Flag{Usage: usage})
		s := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.Bool("x", false, usage)
		wantValue, wantText := pflag.UnquoteUsage(s.Lookup("x"))
		if value != wantValue || text != wantText {
			t.Errorf("%q: %q %q, want %q %q", usage, value, text, wantValue, wantText)
		}
	}
}
