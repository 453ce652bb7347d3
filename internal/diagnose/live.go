package diagnose

import (
	"unchoke/internal/diagnose/watched"
	"unchoke/internal/live"
)

// Live fills the Verdict, Confidence, Summary, Evidence, Warnings, Advice and
// Next of a connection that is being watched, from its other figures alone. A
// live connection does not tell what its path could carry: causes that only that
// would tell apart have little confidence, or the verdict is unclear.
func Live(f *live.Flow) { watched.Judge(f) }
