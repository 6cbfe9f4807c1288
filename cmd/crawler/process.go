package main

// fewDescriptors is taken where the limit is not known.
const fewDescriptors = 1024
