// Package procinfo says what the operating system knows of this process: CPU time, peak
// memory and how many files it may have open. Where the system does not say, figures are 0
// and the limit is a guess.
package procinfo

// fewDescriptors is taken where the limit is not known.
const fewDescriptors = 1024
