package qdisc

import "testing"

func TestMessages(t *testing.T) {
	expect(t, "a qdisc with options", message(3, Root, MakeHandle(1, 0), 0, "pfifo", FIFO{Packets: 1}.options()), golden(
		t,
		"00 000000 03000000 00000100 ffffffff 00000000", // family, device, handle, parent, info
		"0a00 0100 706669666f 00 0000",                  // TCA_KIND, padded
		"0800 0200 01000000",                            // TCA_OPTIONS
	))
	expect(t, "a qdisc without", message(3, ClsactParent, ClsactHandle, 0, "clsact", Clsact{}.options()), golden(
		t,
		"00 000000 03000000 0000ffff f1ffffff 00000000",
		"0b00 0100 636c73616374 00 00",
	))
}
