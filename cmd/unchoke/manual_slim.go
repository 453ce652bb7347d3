//go:build slim && manual

package main

import "unchoke/internal/report/manual"

var moreSections []manual.Section
