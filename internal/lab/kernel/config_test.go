package kernel

import (
	"slices"
	"testing"
)

func TestOwnConfigParses(t *testing.T) {
	for name, text := range map[string]string{"lab.config": requiredConfig, "optional.config": optionalConfig} {
		options, err := parseConfig(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		seen := map[string]bool{}
		for _, o := range options {
			if seen[o.name] {
				t.Errorf("%s: %s stands twice", name, o.name)
			}
			seen[o.name] = true
		}
	}
}

func TestLostOptions(t *testing.T) {
	want, err := parseConfig("CONFIG_A=y\nCONFIG_B=n\nCONFIG_C=y\nCONFIG_D=n\nCONFIG_E=1000\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseConfig("# a comment\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_D=y\nCONFIG_E=100\n")
	if err != nil {
		t.Fatal(err)
	}
	expected := []option{{"CONFIG_C", "y"}, {"CONFIG_D", "n"}, {"CONFIG_E", "1000"}}
	if l := lost(want, got); !slices.Equal(l, expected) {
		t.Errorf("lost %v, want %v", l, expected)
	}
}

func TestConfigRefusesOther(t *testing.T) {
	for _, text := range []string{"NET=y", "CONFIG_NET", "hello"} {
		if _, err := parseConfig(text); err == nil {
			t.Errorf("%q was taken for a configuration", text)
		}
	}
}
