// Command crawler visits every page that can be reached from a few seeds, once,
// politely, and ends with a report.
//
// This package is wiring: cobra verbs (one file each), flags and configuration
// files, progress, signals and exit codes. What a crawl does is in package crawl,
// what its report says in package report.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
