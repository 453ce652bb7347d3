// Package pack writes gzip members (RFC 1952). The full build uses
// compress/gzip; the slim one a smaller encoder, whose output any gzip reads
// too (docs/decisions/0023-gzip-for-routers.md).
package pack
