package clustercmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/report"
)

const (
	defaultListen = "127.0.0.1:4222"
	defaultShards = 16
	defaultLease  = 10 * time.Second
	defaultCopies = 60 * time.Second
	defaultLinks  = 1 << 30
	leastLinks    = 64 << 10 // bytes a shard
)

// starting is crawler cluster start.
type starting struct {
	work
	brokerFlags
	settings.Options
	set         *pflag.FlagSet
	embed       embedFlags
	external    string
	shards      int
	lease       shell.Seconds
	every       shell.Seconds
	checkpoints string
	maxLinks    shell.Size

	std  shell.Streams
	seen cluster.Folder
	new  bool // the crawl begins
	over bool // it has ended, and only its report is missing
}

// NewStart makes crawler cluster start.
func NewStart(s shell.Streams) *cobra.Command {
	st := &starting{std: s, lease: shell.Seconds(defaultLease), every: shell.Seconds(defaultCopies), maxLinks: defaultLinks}
	c := &cobra.Command{
		Use:   "start DIR [URL...]",
		Short: "Begin a crawl that other machines can join, or continue one",
		Long: `start begins a crawl from seed URLs that is divided into shards, each of which is a crawl
directory, DIR/shards/000 and so on. It runs a broker, crawls as its first node, and prints the
command by which other machines join. When the crawl has ended everywhere, the shards of other
machines are brought into DIR, and the merged report.json and report.txt are written there.

Without URLs it continues the crawl in DIR after a stop, a limit, a crash or kill -9. Ctrl-C
stops the crawl on all machines and still prints the report; a second one quits at once.

A host's shard follows from its registrable domain. A node keeps a lease with the broker; when
it is silent for that time, the others take its shards over: from its directory where they can
open that (the same disk, or the same machine), else from the last checkpoint. Checkpoints are
in the broker unless --checkpoints names a directory that all machines have. --checkpoint-every
0 says that no disk is ever lost: then shards of a dead node wait for its disk.

The broker listens on this machine alone unless --listen says otherwise. Elsewhere it needs TLS
and credentials (--cert, --key, --creds), unless --insecure-broker, or --insecure, says that
nobody else can reach it. --broker takes a NATS server with JetStream that runs already; it
should sync always.

The flags of crawler crawl mean the same, for the crawl as a whole: --max-pages is never
overshot, whatever dies. -c and --max-memory are for each machine. How a machine reaches the web
is said on each (--allow-private, --allow-net, --proxy, --resolve, --insecure, --header,
--cookies), also when a crawl is continued.`,
		Example: `  crawler cluster start example https://example.com/
  crawler cluster start example --seeds hosts.txt --shards 64 --listen 10.0.0.1:4222 \
    --cert c.pem --key k.pem --creds token
  crawler cluster start example`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return shell.UsageError("crawler cluster start DIR URL", "start takes a directory, and URLs to begin a crawl")
			}
			st.dir = args[0]
			return st.run(c.Context(), args[1:])
		},
	}
	f := c.Flags()
	st.set = f
	f.IntVar(&st.shards, "shards", defaultShards, "divide the crawl into `N` shards, for good: eight for each machine there may ever be; each takes some 4 MiB of memory")
	f.Var(&st.lease, "lease", "a node that is silent for `TIME` loses its shards to the others")
	f.Var(&st.every, "checkpoint-every", "copy each shard every `TIME`, so that a lost disk costs no more than that; 0: disks are not lost")
	f.StringVar(&st.checkpoints, "checkpoints", "", "keep the copies in `DIR`, which all machines have, and not in the broker")
	shell.Group(f, "Shards")
	st.embed.declare(f, defaultListen)
	f.StringVar(&st.external, "broker", "", "use the NATS server at `URL` and run none")
	f.Var(&st.maxLinks, "max-links", "links on their way take at most `SIZE` in the broker; then the crawl waits")
	st.brokerFlags.declare(f)
	st.Options.Declare(f)
	for _, name := range []string{"out", "jsonl", "dry-run", "durable", "order", "order-pages", "warc", "warc-compress", "warc-dictionary", "warc-secrets", "warc-size"} {
		f.Lookup(name).Hidden = true
	}
	settings.Aliases(f)
	settings.Prepare(c)
	return c
}

func (st *starting) run(parent context.Context, urls []string) error {
	cfg, err := st.settings(urls)
	if err != nil {
		return err
	}
	if parent == nil {
		parent = context.Background()
	}
	b, address, stop, err := st.broker(st.new)
	if err != nil {
		return err
	}
	defer stop()
	nc, err := connect(b, "crawler cluster start")
	if err != nil {
		return err
	}
	defer nc.Close()
	if cfg, err = st.open(parent, nc, cfg, address); err != nil {
		return err
	}
	if err := st.embed.patiently(parent, func() (err error) {
		st.blobs, err = checkpoints(parent, st.crawl, st.checkpoints)
		return err
	}); err != nil {
		return err
	}
	leases, err := connect(b, "crawler leases")
	if err != nil {
		return err
	}
	defer leases.Close()
	ctx, station, end := crawlcmd.NewStation(parent, st.std, st.Options, st.set,
		"stopping the crawl on all machines: pages in flight may finish; interrupt again to quit at once",
		"quit: what was committed is kept, and crawler cluster start "+shell.Quoted(st.dir)+" continues from there")
	defer end()
	st.station = station
	station.Identify(cfg)
	if err := st.prepare(cfg, st.seen); err != nil {
		return err
	}
	if st.over {
		return st.end(parent, cluster.State{Want: cluster.End, Why: crawl.Done}, nil)
	}
	if err := shell.Print(st.std.Out, "to join: crawler cluster join DIR "+address+"\n"); err != nil {
		return err
	}
	return st.serve(ctx, parent, leases)
}

// settings reads the settings of a new crawl, and whether the directory has one already.
func (st *starting) settings(urls []string) (cfg crawl.Config, err error) {
	st.seen, err = cluster.ReadFolder(st.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		st.new = true
	case err != nil:
		return cfg, shell.UsageError("choose another directory", "%w", err)
	}
	if !st.new {
		if len(urls) > 0 || st.Seeds != "" {
			return cfg, shell.UsageError("crawler cluster start "+shell.Quoted(st.dir)+" continues it; or choose another directory", "%s holds a crawl", st.dir)
		}
		return cfg, refuseFixed(st.set, st.dir) // its settings are in the broker
	}
	if err := settings.Resolve(st.set, os.Environ()); err != nil {
		return cfg, err
	}
	if err := st.check(); err != nil {
		return cfg, err
	}
	seeds, err := settings.ReadSeeds(urls, st.Seeds, st.std.In)
	if err != nil {
		return cfg, err
	}
	if seeds.Bad != "" && !st.Quiet {
		fmt.Fprintln(st.std.Err, "crawler: "+seeds.Bad)
	}
	return st.Engine(seeds.URLs)
}

// refuseFixed refuses flags that a crawl has for good since it was begun.
func refuseFixed(f *pflag.FlagSet, dir string) error {
	for _, name := range []string{"shards", "lease", "checkpoint-every", "max-links"} {
		if f.Lookup(name).Changed {
			return shell.UsageError("leave it out to continue the crawl, or choose another directory", "%s holds a crawl, whose --%s cannot be changed", dir, name)
		}
	}
	return nil
}

// check refuses what a crawl on several machines cannot do.
func (st *starting) check() error {
	for name, why := range map[string]string{
		"out": "the directory is the first argument", "jsonl": "records are in the shards' directories", "dry-run": "ask crawler crawl",
		"order": "a crawl on several machines is breadth-first", "order-pages": "a crawl on several machines is breadth-first", "warc": "archives are written by crawler crawl alone",
	} {
		if st.set.Lookup(name).Changed {
			return shell.UsageError(why, "cluster start takes no --%s", name)
		}
	}
	if !st.Durable {
		return shell.UsageError("leave it out", "a crawl on several machines is durable")
	}
	if st.shards < 1 || st.shards > cluster.MaxShards {
		return shell.UsageError("", "--shards %d: want 1 to %d", st.shards, cluster.MaxShards)
	}
	// The broker keeps the last message of each shard, whatever was purged.
	if least := int64(st.shards) * leastLinks; int64(st.maxLinks) < least {
		return shell.UsageError("", "--max-links %s: want at least %s with %d shards", st.maxLinks.String(), shell.SizeText(least), st.shards)
	}
	if l := time.Duration(st.lease); l < cluster.MinLease || l > cluster.MaxLease {
		return shell.UsageError("", "--lease %s: want %v to %v", st.lease.String(), cluster.MinLease, cluster.MaxLease)
	}
	return nil
}

// broker starts the embedded broker, or names the external one. address is for others.
func (st *starting) broker(begins bool) (b cluster.Broker, address string, stop func(), err error) {
	stop = func() {}
	if st.external != "" {
		if st.embed.listen != "" || len(st.embed.peers) > 0 {
			return b, "", stop, shell.UsageError("leave one of them out", "--broker uses a server that runs, --listen and --peers run one here")
		}
		return st.brokerFlags.broker(st.external, st.Insecure), st.external, stop, nil
	}
	e := st.embed
	if e.listen == "" {
		e.listen = st.seen.Listen
	}
	if e.listen == "" {
		e.listen = freeListen()
	}
	c, err := e.config(st.dir, &st.brokerFlags, st.Insecure)
	if err != nil {
		return b, "", stop, err
	}
	if begins {
		if _, err := os.Stat(c.dir); err == nil {
			return b, "", stop, shell.UsageError("choose another directory", "%s holds a broker's store, and no crawl", st.dir)
		}
	}
	if !embedded {
		_, _, _, err := startBroker(c)
		return b, "", stop, err
	}
	local, addr, stopped, err := startBroker(c)
	if err != nil {
		return b, "", stop, err
	}
	b = st.brokerFlags.broker("", st.Insecure)
	b.Local = local
	st.embed.listen = e.listen
	return b, "nats://" + reachable(addr), stopped, nil
}

// freeListen is the default address, or one with a free port where that is taken.
func freeListen() string {
	l, err := net.Listen("tcp", defaultListen)
	if err != nil {
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return defaultListen // whose error will say what is wrong
		}
	}
	defer l.Close()
	return l.Addr().String()
}

// reachable puts this machine's name where an address means all of its interfaces.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			return net.JoinHostPort(name, port)
		}
	}
	return addr
}

// open makes the crawl in the broker, or finds it there with its settings.
func (st *starting) open(ctx context.Context, nc *nats.Conn, cfg crawl.Config, address string) (crawl.Config, error) {
	listen := ""
	if st.external == "" {
		listen = strings.TrimPrefix(address, "nats://")
		if st.embed.listen != "" && !strings.HasSuffix(st.embed.listen, ":0") {
			listen = st.embed.listen
		}
	}
	if st.new {
		return cfg, st.begin(ctx, nc, cfg, listen)
	}
	err := st.embed.patiently(ctx, func() (err error) {
		st.crawl, err = find(ctx, nc, st.seen.ID)
		return err
	})
	if err != nil {
		return cfg, err
	}
	if cfg, err = st.restore(ctx); err != nil {
		return cfg, err
	}
	if listen != st.seen.Listen && listen != "" {
		st.seen.Listen = listen
		return cfg, writeFolder(st.dir, st.seen)
	}
	return cfg, nil
}

// begin makes a new crawl: in the broker first, so that a directory never names one that is not.
func (st *starting) begin(ctx context.Context, nc *nats.Conn, cfg crawl.Config, listen string) error {
	flags, access, err := shared(st.set)
	if err != nil {
		return shell.UsageError("", "settings: %w", err)
	}
	seed := cfg.Gate.Dedup.Seed
	if seed == 0 {
		seed = settings.SecretSeed()
	}
	replicas := 1
	if len(st.embed.peers) > 0 {
		replicas = peerCount
	}
	s := cluster.Settings{
		ID: cluster.NewID(), Program: shell.Version, Created: time.Now().UTC(), Shards: st.shards, Flags: flags, Access: access, Seed: seed,
		Lease: time.Duration(st.lease), CheckpointEvery: time.Duration(st.every), Folder: st.checkpoints != "",
		MaxPages: cfg.MaxPages, MaxBytes: cfg.MaxBytes, TimeLimit: cfg.TimeLimit, MaxLinks: int64(st.maxLinks), Replicas: replicas, Seeds: cfg.Seeds,
	}
	err = st.embed.patiently(ctx, func() (err error) {
		st.crawl, err = cluster.Create(ctx, nc, s)
		return err
	})
	if err != nil {
		return &shell.ExitError{Code: shell.ExitFailed, Err: err, Hint: "is JetStream on there, and may these credentials use it?"}
	}
	if st.seen, err = folder(st.dir, s.ID, s.Shards); err != nil {
		return err
	}
	st.seen.Listen = listen
	return writeFolder(st.dir, st.seen)
}

// restore continues a crawl: with its settings, but for those that are given now and may change.
func (st *starting) restore(ctx context.Context) (cfg crawl.Config, err error) {
	given, err := settings.GivenToContinue(st.set, os.Environ())
	if err != nil {
		return cfg, err
	}
	s := st.crawl.Settings
	if err := adopt(st.set, given, s.Flags); err != nil {
		return cfg, &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("the crawl's settings: %w", err), Hint: "use the version of crawler that began it"}
	}
	if cfg, err = st.Engine(s.Seeds); err != nil {
		return cfg, err
	}
	if s.Flags, s.Access, err = shared(st.set); err != nil {
		return cfg, err
	}
	s.MaxPages, s.MaxBytes, s.TimeLimit = cfg.MaxPages, cfg.MaxBytes, cfg.TimeLimit
	if err := st.crawl.Continue(ctx, s); err != nil {
		if errors.Is(err, cluster.ErrEnded) {
			if _, none := report.Load(st.dir); none != nil {
				st.over = true // this node died before its report
				return cfg, nil
			}
			return cfg, shell.UsageError("crawler report "+shell.Quoted(st.dir)+" prints its report", "the crawl in %s is complete", st.dir)
		}
		return cfg, &shell.ExitError{Code: shell.ExitFailed, Err: err}
	}
	return cfg, nil
}
