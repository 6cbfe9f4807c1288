package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"crawler/cluster/broker"
)

// brokerMain is the program "broker DIR HOST:PORT": a broker that is a process of its own, until
// it gets a signal.
func brokerMain() {
	b, err := broker.Start(broker.Config{Dir: os.Args[1], Listen: os.Args[2]})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	<-c
	b.Stop()
}
