package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
)

// bare is the reference that does nothing but fetch: FILE CONNECTIONS. It gets the URLs
// of FILE with as many goroutines as connections, one client, and reads every body.
func bare(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("bare %q: want a file of URLs and a number of connections", args)
	}
	connections, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = connections
	client := &http.Client{Transport: t}
	urls := make(chan string, 1000)
	errs := make([]error, connections)
	var workers sync.WaitGroup
	for i := range connections {
		workers.Go(func() {
			for u := range urls {
				if err := get(client, u); err != nil {
					errs[i] = err
				}
			}
		})
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		urls <- lines.Text()
	}
	close(urls)
	workers.Wait()
	return errors.Join(append(errs, lines.Err())...)
}

func get(client *http.Client, u string) error {
	res, err := client.Get(u)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}
