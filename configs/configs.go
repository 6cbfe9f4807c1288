// Package configs holds the example configurations that come with the program. They
// are files first, to be copied and edited; the package embeds them so that the tests
// can hold each against the flags it sets.
package configs

import "embed"

// Files are the examples, one YAML file each.
//
//go:embed *.yaml
var Files embed.FS
