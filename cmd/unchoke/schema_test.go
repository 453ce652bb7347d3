package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/labcmd"
	"unchoke/cmd/unchoke/internal/measurecmd"
	"unchoke/internal/fleet"
	"unchoke/internal/lab/kernel"
	"unchoke/internal/lab/sweep/store"
	"unchoke/internal/live"
	"unchoke/internal/record"
	checkreport "unchoke/internal/report/check"
	comparereport "unchoke/internal/report/compare"
	fleetreport "unchoke/internal/report/fleet"
	labreport "unchoke/internal/report/lab"
	predictreport "unchoke/internal/report/predict"
	vantagereport "unchoke/internal/report/vantage"
	farsession "unchoke/internal/session"
	"unchoke/internal/stats"
	"unchoke/internal/tools/schema"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
	"unchoke/tcpinfo"
)

// documents are all that unchoke prints with --json or stores.
var documents = []schema.Document{
	{Schema: checkreport.Schema, Title: "unchoke check --json", Zero: checkreport.Report{}},
	{Schema: comparereport.Schema, Title: "unchoke ab --json", Zero: comparereport.Report{}},
	{Schema: vantagereport.Schema, Title: "unchoke check --from --json", Zero: vantagereport.Report{}},
	{Schema: predictreport.Schema, Title: "unchoke predict --json", Zero: predictreport.Report{}},
	{Schema: record.Schema, Title: "The record of a check: stored, and unchoke record show --json", Zero: record.Run{}},
	{Schema: record.ComparisonSchema, Title: "The record of a comparison: stored, and unchoke record show --json", Zero: record.Comparison{}},
	{Schema: "unchoke.records/1", Title: "unchoke record list --json", Zero: measurecmd.RecordList{}},
	{Schema: "unchoke.record.calibration/1", Title: "unchoke record calibration --json", Zero: measurecmd.Calibration{}},
	{Schema: tune.PlanSchema, Title: "unchoke tune plan --json", Zero: tune.Plan{}},
	{Schema: tune.ExplanationSchema, Title: "unchoke tune explain --json", Zero: tune.Explanation{}},
	{Schema: outcome.OutcomeSchema, Title: "unchoke tune apply, try, confirm and revert, with --json", Zero: outcome.Outcome{}},
	{Schema: outcome.StatusSchema, Title: "unchoke tune status --json", Zero: outcome.Status{}},
	{Schema: outcome.VerificationSchema, Title: "unchoke tune verify --json", Zero: outcome.Verification{}},
	{Schema: outcome.LiveSchema, Title: "unchoke tune live --json", Zero: outcome.Live{}},
	{Schema: fleet.RolloutSchema, Title: "unchoke fleet plan and apply, with --json, and a rollout's file", Zero: fleet.Rollout{}},
	{Schema: fleetreport.CheckSchema, Title: "unchoke fleet check --json", Zero: fleetreport.Check{}},
	{Schema: fleetreport.AskedSchema, Title: "unchoke fleet verify, status and revert, with --json", Zero: fleetreport.Asked{}},
	{Schema: store.Schema, Title: "unchoke lab run --json and lab merge --json, stored as summary.json", Zero: store.Summary{}},
	{Schema: labreport.Schema, Title: "unchoke lab report --json", Zero: labreport.Report{}},
	{Schema: labcmd.PresetsSchema, Title: "unchoke lab list --json", Zero: labcmd.Presets{}},
	{Schema: kernel.Schema, Title: "unchoke lab kernel build --json, stored as info.json", Zero: kernel.Info{}},
	{Schema: "unchoke.lab.kernels/1", Title: "unchoke lab kernel info --json", Zero: labcmd.KernelList{}},
	{Schema: farsession.Schema, Title: "The first line of unchoke session, which check starts on an ssh:// target", Zero: farsession.Hello{}},
	{Schema: serveSchema, Title: "One line of unchoke serve --json", Zero: servedDocument{}},
	{Schema: live.Schema, Title: "One line of unchoke watch --json", Zero: live.Snapshot{}},
	{Schema: "unchoke.version/1", Title: "unchoke version --json", Zero: versionDocument{}},
}

// prints are the commands with --json and what each prints.
var prints = map[string][]string{
	"check":              {checkreport.Schema, vantagereport.Schema},
	"predict":            {predictreport.Schema},
	"ab":                 {comparereport.Schema},
	"lab run":            {store.Schema},
	"lab merge":          {store.Schema},
	"lab report":         {labreport.Schema},
	"lab list":           {labcmd.PresetsSchema},
	"lab kernel build":   {kernel.Schema},
	"lab kernel info":    {"unchoke.lab.kernels/1"},
	"record list":        {"unchoke.records/1"},
	"record calibration": {"unchoke.record.calibration/1"},
	"record show":        {record.Schema, record.ComparisonSchema},
	"serve":              {serveSchema},
	"tune plan":          {tune.PlanSchema},
	"tune try":           {outcome.OutcomeSchema},
	"tune apply":         {outcome.OutcomeSchema},
	"tune confirm":       {outcome.OutcomeSchema},
	"tune revert":        {outcome.OutcomeSchema},
	"tune verify":        {outcome.VerificationSchema},
	"tune status":        {outcome.StatusSchema},
	"tune explain":       {tune.ExplanationSchema},
	"tune live":          {outcome.LiveSchema},
	"fleet check":        {fleetreport.CheckSchema},
	"fleet plan":         {fleet.RolloutSchema},
	"fleet apply":        {fleet.RolloutSchema},
	"fleet verify":       {fleetreport.AskedSchema},
	"fleet status":       {fleetreport.AskedSchema},
	"fleet revert":       {fleetreport.AskedSchema},
	"watch":              {live.Schema},
	"version":            {"unchoke.version/1"},
}

// marshalers are what the types print that print themselves.
var marshalers = map[reflect.Type]any{
	reflect.TypeFor[stats.Interval](): map[string]any{
		"description": "From the first to the second, both included. An end that nothing is known of is null.",
		"type":        "array", "minItems": 2, "maxItems": 2,
		"items": map[string]any{"type": []string{"number", "null"}},
	},
	reflect.TypeFor[tcpinfo.Info](): tcpInfoSchema(),
}

// tcpInfoSchema lists the members that the longest struct tcp_info gives.
func tcpInfoSchema() map[string]any {
	text, err := json.Marshal(tcpinfo.Info{Length: 1 << 10})
	if err != nil {
		panic(err)
	}
	var longest map[string]any
	if err := json.Unmarshal(text, &longest); err != nil {
		panic(err)
	}
	properties := map[string]any{}
	for key, value := range longest {
		kind := "number"
		switch value.(type) {
		case string:
			kind = "string"
		case bool:
			kind = "boolean"
		}
		properties[key] = schema.Describe("", key, kind)
	}
	for _, key := range []string{"pacing_rate_bps", "max_pacing_rate_bps"} { // left out where they are unlimited
		properties[key] = schema.Describe("", key, "number")
	}
	properties["system"] = schema.Describe("", "system", "string") // but Linux's
	return map[string]any{
		"description": "struct tcp_info as far as the kernel gave it: older ones have fewer members; of macOS and Windows (system), those that their own structures tell. Times are in seconds, a rate that is unlimited is left out.",
		"type":        "object", "properties": properties, "additionalProperties": false,
		"required": []string{"length_bytes"},
	}
}

var updateSchemas = flag.Bool("update-schemas", false, "rewrite docs/schema from the Go types")

// The published schemas are those of the Go types.
func TestSchemasArePublished(t *testing.T) {
	var want []string
	for _, d := range documents {
		want = append(want, d.File())
		text, err := schema.Generate(d, marshalers)
		if err != nil {
			t.Error(err)
			continue
		}
		name := filepath.Join(schema.Dir(), d.File())
		if *updateSchemas {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, _ := os.ReadFile(name); !bytes.Equal(have, text) {
			t.Errorf("docs/schema/%s is not what the Go types say: go test ./cmd/unchoke -run TestSchemas -update-schemas", d.File())
		}
		if _, err := schema.Compile(d.Schema); err != nil {
			t.Error(err)
		}
	}
	list, err := os.ReadFile(filepath.Join(schema.Dir(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range want {
		if !bytes.Contains(list, []byte("]("+file+")")) {
			t.Errorf("docs/schema/README.md does not list %s", file)
		}
	}
	published, err := filepath.Glob(filepath.Join(schema.Dir(), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range published {
		if !slices.Contains(want, filepath.Base(name)) {
			t.Errorf("%s is of no document", name)
		}
	}
}

// Every command with --json has its documents' schemas, and every document a
// command or a place.
func TestEveryVerbHasSchemas(t *testing.T) {
	known := map[string]bool{}
	for _, d := range documents {
		known[d.Schema] = true
	}
	seen := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if cmd.Flags().Lookup("json") == nil || !cmd.Runnable() {
			return
		}
		verb := strings.TrimPrefix(cmd.CommandPath(), "unchoke ")
		seen[verb] = true
		if len(prints[verb]) == 0 {
			t.Errorf("unchoke %s --json prints a document that has no schema", verb)
		}
		for _, name := range prints[verb] {
			if !known[name] {
				t.Errorf("unchoke %s --json prints %s, which has no schema", verb, name)
			}
		}
	}
	walk(newRoot(&cli.App{}))
	for verb := range prints {
		if !seen[verb] {
			t.Errorf("unchoke %s has no --json", verb)
		}
	}
}

// Every name of a document in the code has a schema.
func TestEveryNameHasASchema(t *testing.T) {
	name := regexp.MustCompile(`"(unchoke\.[a-z.]+/[0-9]+)"`)
	found := 0
	err := filepath.WalkDir("../..", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "internal/tools/") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, err := schema.Compile(m[1]); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		return nil
	})
	if err != nil || found < len(documents) {
		t.Errorf("%d names, %v", found, err)
	}
}
