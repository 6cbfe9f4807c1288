//go:build !unix

package main

import "crawler/report"

// used knows nothing where there is no getrusage; the report then says 0.
func used() report.Usage { return report.Usage{} }

// maxDescriptors is not known here.
func maxDescriptors() int { return fewDescriptors }
