//go:build slim

package main

import "unchoke/internal/report/manual"

var moreSections []manual.Section
