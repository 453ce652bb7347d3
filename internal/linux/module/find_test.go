package module

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestFind(t *testing.T) {
	wanted := []string{"tcp_bbr", "sch_fq"}
	root := fstest.MapFS{
		"lib/modules/6.1.0/modules.dep":     {Data: []byte("kernel/net/ipv4/tcp_bbr.ko.xz:\nkernel/net/sched/sch_fq_codel.ko:\n")},
		"lib/modules/6.1.0/modules.builtin": {Data: []byte("kernel/net/sched/sch-fq.ko\n")},
		"lib/modules/5.15.1/tcp_bbr.ko":     {}, // OpenWrt: no index
	}
	found, err := Find(root, "6.1.0", wanted)
	if err != nil || !slices.Equal(found.OnDisk, []string{"tcp_bbr"}) || !slices.Equal(found.BuiltIn, []string{"sch_fq"}) || !found.Indexed {
		t.Errorf("%+v, %v", found, err)
	}
	found, err = Find(root, "5.15.1", wanted)
	if err != nil || !slices.Equal(found.OnDisk, []string{"tcp_bbr"}) || found.Indexed {
		t.Errorf("without an index: %+v, %v", found, err)
	}
	if found, err = Find(root, "6.9", wanted); err != nil || found.Indexed || found.OnDisk != nil {
		t.Errorf("another kernel: %+v, %v", found, err)
	}
}

func TestReleases(t *testing.T) {
	root := fstest.MapFS{
		"usr/lib/modules/6.1.0-9-amd64/x":  {},
		"usr/lib/modules/6.1.0-37-amd64/x": {},
		"usr/lib/modules/5.10.0-1/x":       {},
	}
	got, err := Releases(root)
	if err != nil || !slices.Equal(got, []string{"5.10.0-1", "6.1.0-9-amd64", "6.1.0-37-amd64"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Releases(fstest.MapFS{}); err != nil || got != nil {
		t.Errorf("no kernel: %q, %v", got, err)
	}
}

func TestInSymbols(t *testing.T) {
	wanted := []string{"tcp_bbr", "sch_fq"}
	root := fstest.MapFS{"proc/kallsyms": {Data: []byte("0000 t fq_codel_init\n0000 t bbr_main\n0000 t fq_flow_purge\t[sch_fq]\n")}}
	if got := InSymbols(root, wanted); !slices.Equal(got, []string{"sch_fq", "tcp_bbr"}) {
		t.Errorf("%q", got)
	}
	if got := InSymbols(fstest.MapFS{"proc/kallsyms": {Data: []byte("0000 t fq_codel_init\n")}}, wanted); got != nil {
		t.Errorf("a kernel with neither: %q", got)
	}
}
