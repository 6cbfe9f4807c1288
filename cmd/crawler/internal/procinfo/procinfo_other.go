//go:build !unix && !windows

package procinfo

import "crawler/report"

// Used knows nothing where there is no getrusage; the report then says 0.
func Used() report.Usage { return report.Usage{} }

// Descriptors is not known here.
func Descriptors() int { return fewDescriptors }
