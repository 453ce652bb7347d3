package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"unchoke/internal/compare"
	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/probe/trial"
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// parseArms reads the arms and gives each its direction.
func (f abFlags) parseArms(target string) ([]record.Arm, error) {
	var arms []record.Arm
	if f.grid != "" {
		var err error
		if arms, err = compare.Grid(f.grid); err != nil {
			return nil, usage(err)
		}
	}
	for _, text := range f.arms {
		arm, err := compare.ParseArm(text)
		if err != nil {
			return nil, usage(err)
		}
		arms = append(arms, arm)
	}
	if len(arms) == 0 && isURL(target) {
		return nil, withHint(usagef("ab needs two arms"), "--arm target=%s --arm target=ANOTHER-URL", target)
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
		return nil, usagef("direction %q is neither up nor down", f.direction)
	}
	if err := compare.CheckArms(arms, f.identical); err != nil {
		return nil, usage(err)
	}
	return arms, nil
}

// find looks an arm's target up. A target without a port has the comparison's,
// since it is mostly another address of the same host.
func (f abFlags) find(ctx context.Context, common string, arm record.Arm) (trial.Arm, error) {
	target := arm.Target
	if target == "" {
		target = common
	}
	if isURL(target) {
		if arm.Direction == "" {
			arm.Direction = record.Down
		}
		u, err := url.Parse(target)
		if err != nil {
			return trial.Arm{}, usage(fmt.Errorf("target: %w", err))
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return trial.Arm{}, withHint(usagef("target %q cannot be downloaded", target), "an http:// or https:// URL, or a host on which `iperf3 -s` runs")
		}
		return trial.Arm{Arm: arm, URL: u}, nil
	}
	if arm.Direction == "" {
		arm.Direction = record.Up
	}
	port := uint16(iperf3.DefaultPort)
	if !isURL(common) {
		var err error
		if port, err = portOf(common, port); err != nil {
			return trial.Arm{}, err
		}
	}
	server, err := resolve(ctx, target, f.family("ip"), port)
	return trial.Arm{Arm: arm, Server: server}, err
}

func isURL(target string) bool { return strings.Contains(target, "://") }

// family is a network's name with the address family that the flags ask for.
func (f abFlags) family(network string) string {
	switch {
	case f.ipv4:
		return network + "4"
	case f.ipv6:
		return network + "6"
	}
	return network
}

// completeArm completes the last KEY=VALUE of an arm.
func completeArm(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before, item := "", typed
	if i := strings.LastIndexByte(typed, ','); i >= 0 {
		before, item = typed[:i+1], typed[i+1:]
	}
	var offers []cobra.Completion
	key, _, hasValue := strings.Cut(item, "=")
	switch {
	case !hasValue:
		for _, key := range []string{"cc", "window", "streams", "target", "direction"} {
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
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
