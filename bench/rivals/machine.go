package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// machine is where and when was raced.
type machine struct {
	Date, OS, CPU, Go string
	Processors        int
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %s, %s, %d processors shared by server and contestant, %s", m.Date, m.OS, m.CPU, m.Processors, m.Go)
}

func thisMachine() machine {
	m := machine{
		Date: time.Now().Format(time.DateOnly), OS: runtime.GOOS + "/" + runtime.GOARCH,
		CPU: field("/proc/cpuinfo", "model name"), Go: runtime.Version(), Processors: runtime.NumCPU(),
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.OS += " " + strings.TrimSpace(string(release))
	}
	return m
}

// field returns the first value of a key in a file of lines "key : value".
func field(file, key string) string {
	f, err := os.Open(file)
	if err != nil {
		return "unknown CPU"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, v, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return "unknown CPU"
}
