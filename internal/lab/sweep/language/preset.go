package language

import (
	"embed"
	"path"
	"strings"
)

//go:embed presets/*.yaml
var presetFiles embed.FS

// Preset is a sweep file that comes with this program.
type Preset struct {
	Name        string
	Description string
}

// presetOrder is how a list shows them: the article's first.
var presetOrder = []string{
	"article", "baseline", "jitter-cliff", "chaos", "loss", "starlink", "handover",
	"heatmap", "reordering", "policer", "fairness", "buffers", "tunnels",
}

func presetNames() []string { return presetOrder }

// presetData is a preset's file.
func presetData(name string) ([]byte, bool) {
	if strings.ContainsAny(name, "./\\") {
		return nil, false
	}
	data, err := presetFiles.ReadFile(path.Join("presets", name+".yaml"))
	return data, err == nil
}

// Presets lists the presets.
func Presets() ([]Preset, error) {
	var all []Preset
	for _, name := range presetOrder {
		f, err := Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, Preset{f.Name, f.Description})
	}
	return all, nil
}
