package clustercmd

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
)

// An embedded broker that others could reach needs a certificate and credentials.
func TestEmbeddedBrokerPolicy(t *testing.T) {
	whole := brokerFlags{creds: "c", cert: "x", key: "y"}
	for _, c := range []struct {
		listen   string
		peers    string
		flags    brokerFlags
		insecure bool
		well     bool
	}{
		{"127.0.0.1:4222", "", brokerFlags{}, false, true},
		{"[::1]:4222", "", brokerFlags{}, false, true},
		{"0.0.0.0:4222", "", brokerFlags{}, false, false},
		{":4222", "", brokerFlags{}, false, false},
		{"10.0.0.1:4222", "", brokerFlags{creds: "c"}, false, false},
		{"10.0.0.1:4222", "", brokerFlags{cert: "x", key: "y"}, false, false},
		{"10.0.0.1:4222", "", whole, false, true},
		{"10.0.0.1:4222", "", brokerFlags{}, true, true},
		{"10.0.0.1:4222", "", brokerFlags{open: true}, false, true},
		{"127.0.0.1:4222", "127.0.0.1:1,127.0.0.1:2,127.0.0.1:3", brokerFlags{}, false, true},
		{"127.0.0.1:4222", "127.0.0.1:1,10.0.0.1:2,127.0.0.1:3", brokerFlags{}, false, false},
		{"127.0.0.1:4222", "127.0.0.1:1,127.0.0.1:2", brokerFlags{}, false, false},
		{"127.0.0.1", "", brokerFlags{}, false, false},
	} {
		e := embedFlags{listen: c.listen}
		if c.peers != "" {
			e.peers = strings.Split(c.peers, ",")
		}
		_, err := e.config("d", &c.flags, c.insecure)
		if (err == nil) != c.well {
			t.Errorf("%+v: %v", c, err)
		}
		if exit := (*shell.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.Code != shell.ExitUsage) {
			t.Errorf("%+v: no wrong usage: %v", c, err)
		}
	}
}

// What a node may connect to is for its own command line to say: a seed that came from the broker
// on a special address is refused unless that allows it, and opens nothing.
func TestSeedsOfOthers(t *testing.T) {
	for _, c := range []struct {
		seed string
		set  []string
		well bool
	}{
		{"http://example.com/", nil, true},
		{"http://127.0.0.1:8080/", nil, false},
		{"http://169.254.169.254/", nil, false},
		{"http://10.1.2.3/", nil, false},
		{"http://localhost/", nil, false},
		{"http://[::1]/", nil, false},
		{"http://10.1.2.3/", []string{"allow-net", "10.0.0.0/8"}, true},
		{"http://10.1.2.3/", []string{"allow-net", "192.168.0.0/16"}, false},
		{"http://127.0.0.1/", []string{"allow-private", "true"}, true},
		{"http://127.0.0.1/", []string{"proxy", "http://127.0.0.1:3128"}, true},
	} {
		o := settings.Options{}
		own := newSet(&o)
		if c.set != nil {
			if err := own.Set(c.set[0], c.set[1]); err != nil {
				t.Fatal(err)
			}
		}
		o.ForeignSeeds = true
		cfg, err := o.Engine([]string{c.seed})
		if err != nil {
			t.Fatal(err)
		}
		if len(cfg.Fetch.Guard.Seeds) > 0 {
			t.Errorf("%s opens the guard", c.seed)
		}
		if err := special(cfg); (err == nil) != c.well {
			t.Errorf("%+v: %v", c, err)
		}
	}
	o := settings.Options{}
	own := newSet(&o)
	o.ForeignSeeds = true
	if err := own.Set("header", "Authorization: Bearer x"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Engine([]string{"http://example.com/"}); err == nil {
		t.Error("a secret goes to seeds that came from the broker")
	}
}

// No setting of access, and no secret, goes to the broker.
func TestSharedSettings(t *testing.T) {
	o := settings.Options{}
	f := newSet(&o)
	for name, v := range map[string]string{
		"header": "Authorization: Bearer x", "cookies": "jar", "proxy": "http://u:p@127.0.0.1:1", "allow-private": "true", "allow-net": "10.0.0.0/8",
		"resolve": "a.test:80:127.0.0.1", "insecure": "true", "depth": "3", "delay": "2s",
	} {
		if err := f.Set(name, v); err != nil {
			t.Fatal(err)
		}
	}
	flags, access, err := shared(f)
	if err != nil || len(access) != 7 || len(flags) != 2 || flags["depth"][0] != "3" {
		t.Errorf("shared %v, of access %v (%v)", flags, access, err)
	}
}

// A broker that has settings of access after all is refused: it would open the address guard.
func TestAccessFromTheBroker(t *testing.T) {
	for name, v := range map[string]string{
		"header": "Authorization: Bearer x", "cookies": "jar", "proxy": "http://127.0.0.1:1", "allow-private": "true", "allow-net": "10.0.0.0/8",
		"resolve": "a.test:80:127.0.0.1", "insecure": "true", "warc": "x",
	} {
		f := newSet(&settings.Options{})
		err := adopt(f, nil, map[string][]string{"depth": {"3"}, name: {v}})
		if err == nil || !strings.Contains(err.Error(), "--"+name+" ") || f.Changed(name) {
			t.Errorf("--%s from the broker: %v", name, err)
		}
	}
	o := settings.Options{}
	f := newSet(&o)
	if err := adopt(f, nil, map[string][]string{"depth": {"3"}}); err != nil || f.Lookup("depth").Value.String() != "3" {
		t.Errorf("depth %s: %v", f.Lookup("depth").Value, err)
	}
}

// newSet are the flags of a crawl.
func newSet(o *settings.Options) *pflag.FlagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.Declare(f)
	return f
}

// What a crawl has for good is refused when it is continued, not ignored.
func TestFixedFlagsAreRefused(t *testing.T) {
	for _, name := range []string{"", "shards", "lease", "checkpoint-every", "max-links", "delay"} {
		f := NewStart(shell.Streams{}).Flags()
		if name != "" {
			f.Lookup(name).Changed = true
		}
		if err := refuseFixed(f, "d"); (err != nil) != (name != "" && name != "delay") {
			t.Errorf("--%s: %v", name, err)
		}
	}
}
