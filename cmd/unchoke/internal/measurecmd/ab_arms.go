//go:build !slim

package measurecmd

import (
	"strings"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/compare"
	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// parseArms reads the arms and gives each its direction.
func (f abFlags) parseArms(target string) ([]record.Arm, error) {
	var arms []record.Arm
	if f.grid != "" {
		var err error
		if arms, err = compare.Grid(f.grid); err != nil {
			return nil, cli.Usage(err)
		}
	}
	for _, text := range f.arms {
		arm, err := compare.ParseArm(text)
		if err != nil {
			return nil, cli.Usage(err)
		}
		arms = append(arms, arm)
	}
	if len(arms) == 0 && request.IsURL(target) {
		return nil, cli.WithHint(cli.Usagef("ab needs two arms"), "--arm %s --arm target=ANOTHER-URL", render.ShellWord("target="+usecase.ShownTarget(target)))
	}
	switch asked := record.Direction(f.direction); asked {
	case "":
	case record.Up, record.Down:
		for i := range arms {
			if arms[i].Direction == "" {
				arms[i].Direction = asked
				arms[i].Name = compare.FormatArm(arms[i])
			}
		}
	default:
		return nil, cli.Usagef("direction %q is neither up nor down", f.direction)
	}
	if compare.CheckArms(arms, f.identical) != nil {
		// What is the same stays so without its secrets, which the error must not show.
		return nil, cli.Usage(compare.CheckArms(usecase.ShownArms(arms), f.identical))
	}
	return arms, nil
}

// completeArm completes the last KEY=VALUE of an arm of these keys.
func completeArm(keys []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return armOffers(keys, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// armOffers are what an arm may go on with.
func armOffers(keys []string, typed string) (offers []cobra.Completion) {
	before, item := "", typed
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		before, item = typed[:i+1], typed[i+1:]
	}
	key, _, hasValue := strings.Cut(item, "=")
	switch {
	case !hasValue:
		for _, key := range keys {
			if !strings.HasPrefix(before, key+"=") && !strings.Contains(before, ","+key+"=") {
				offers = append(offers, before+key+"=")
			}
		}
	case key == "cc":
		names, _ := cc.Available(sysctl.Kernel) // none to offer where they cannot be read
		for _, name := range names {
			offers = append(offers, before+"cc="+name)
		}
	case key == "direction":
		offers = append(offers, before+"direction=up", before+"direction=down")
	}
	return offers
}
