//go:build slim

package watched

import "unchoke/internal/finding"

// The build for routers reads no headers of packets: nothing is known by them.

func passing(*view) *said { return nil }
func crowded(*view) *said { return nil }
func emptied(*view) *said { return nil }

func (v *view) answeredLate() *said                     { return nil }
func (v *view) arriving() *said                         { return nil }
func (v *view) lostFew() *said                          { return nil }
func (v *view) inBunches([]finding.Evidence) *said      { return nil }
func (v *view) atSender(finding.Cause) (string, string) { return "", "" }
