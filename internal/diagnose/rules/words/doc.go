// Package words is what findings are said with: quantities, and evidence that several
// causes show.
package words
