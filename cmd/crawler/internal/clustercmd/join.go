package clustercmd

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/weburl"
)

// joining is crawler cluster join.
type joining struct {
	work
	brokerFlags
	settings.Options
	set         *pflag.FlagSet
	checkpoints string
	embed       embedFlags
}

// NewJoin makes crawler cluster join.
func NewJoin(s shell.Streams) *cobra.Command {
	j := &joining{}
	c := &cobra.Command{
		Use:   "join DIR nats://HOST:PORT",
		Short: "Crawl a part of a crawl that another machine has started",
		Long: `join crawls a part of the crawl that crawler cluster start has begun: the command that it prints.
Settings and seeds come from there; this node takes its share of the shards, into DIR/shards. A
node that cannot be reached for the time of a lease loses its shards to the others, and gets a share
again when it is back. Nodes on one machine, or on a disk that they share, may have the same DIR.

SIGTERM, and Ctrl-C, hand its shards over to the others: what was done is committed and, where they
cannot open DIR, copied to the checkpoints; then join exits with 0. So it does when the crawl
has ended.

How this machine reaches the web is said here, and never comes from the broker: --allow-private,
--allow-net, --proxy, --resolve, --insecure, --header and --cookies. Seeds on special addresses are
refused unless these flags allow them. --insecure also takes a broker without TLS and credentials.`,
		Example: `  crawler cluster join example nats://127.0.0.1:4222
  crawler cluster join example nats://10.0.0.1:4222 --creds token --ca ca.pem`,
		Args: shell.Exactly(2, "name a directory and the broker: crawler cluster join DIR nats://HOST:PORT"),
		RunE: func(c *cobra.Command, args []string) error {
			given, err := settings.FromEnvironment(c.Flags(), os.Environ(), takes)
			if err != nil {
				return err
			}
			j.dir = args[0]
			return j.run(c.Context(), s, args[1], given)
		},
	}
	j.set = c.Flags()
	j.brokerFlags.declare(c.Flags())
	c.Flags().StringVar(&j.id, "id", "", "the crawl's `ID`, if the broker has several")
	c.Flags().StringVar(&j.checkpoints, "checkpoints", "", "`DIR` with the checkpoints, if the crawl was started with that flag")
	j.embed.declare(c.Flags(), "")
	shell.Group(c.Flags(), "Broker")
	j.Options.Declare(c.Flags())
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if settings.Known(f.Name) {
			f.Hidden = !takes(f.Name)
		}
	})
	settings.Prepare(c)
	return c
}

// takes reports whether join takes a flag of a crawl.
func takes(flag string) bool { return settings.Access(flag) || local[flag] }

func (j *joining) run(parent context.Context, s shell.Streams, address string, given map[string]bool) error {
	if err := refuseOthers(j.set); err != nil {
		return err
	}
	local, stop, err := j.embed.start(j.dir, &j.brokerFlags, j.Insecure)
	if err != nil {
		return err
	}
	defer stop()
	b := j.broker(address, j.Insecure)
	if local != nil {
		b.Local = local
	}
	nc, err := connect(b, "crawler cluster join")
	if err != nil {
		return err
	}
	defer nc.Close()
	if parent == nil {
		parent = context.Background()
	}
	if err := j.embed.patiently(parent, func() (err error) {
		j.crawl, err = find(parent, nc, j.id)
		return err
	}); err != nil {
		return err
	}
	if st, err := j.crawl.State(parent); err != nil || st.Want == cluster.End || st.Want == cluster.Stop {
		return shell.FirstError(err, shell.UsageError("crawler cluster start continues it, where it was started", "the crawl has ended"))
	}
	set := j.crawl.Settings
	if err := adopt(j.set, given, set.Flags); err != nil {
		return &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("the crawl's settings: %w", err), Hint: "use the same version of crawler on all machines"}
	}
	j.ForeignSeeds = true
	cfg, err := j.Engine(set.Seeds)
	if err != nil {
		return err
	}
	if err := special(cfg); err != nil {
		return err
	}
	f, err := folder(j.dir, set.ID, set.Shards)
	if err != nil {
		return err
	}
	if err := j.embed.patiently(parent, func() (err error) {
		j.blobs, err = checkpoints(parent, j.crawl, j.checkpoints)
		return err
	}); err != nil {
		return err
	}
	leases, err := connect(b, "crawler leases")
	if err != nil {
		return err
	}
	defer leases.Close()
	ctx, station, end := crawlcmd.NewStation(parent, s, j.Options, j.set,
		"leaving: pages in flight may finish, then the shards are handed over; interrupt again to quit at once",
		"quit: the other nodes continue when the lease has ended")
	defer end()
	j.station = station
	j.warn(set)
	if err := j.prepare(cfg, f); err != nil {
		return err
	}
	station.Log().Info("joined", "crawl", set.ID, "shards", set.Shards, "node", j.node.Me.Name)
	state, err := j.node.Serve(ctx, leases)
	station.Clear()
	if err != nil {
		return err
	}
	station.Log().Info("left", "crawl", string(state.Want))
	return nil
}

// refuseOthers refuses flags of a crawl that are the first node's alone.
func refuseOthers(f *pflag.FlagSet) (err error) {
	f.Visit(func(fl *pflag.Flag) {
		if settings.Known(fl.Name) && !takes(fl.Name) && err == nil {
			err = shell.UsageError("leave it out: settings of the crawl come from the node that started it", "join takes no --%s", fl.Name)
		}
	})
	return err
}

// special refuses seeds on addresses that this node may not connect to: it would give their pages
// up for all.
func special(cfg crawl.Config) error {
	g := cfg.Fetch.Guard
	if g.Private || cfg.Fetch.Proxy != nil {
		return nil
	}
	for _, s := range cfg.Seeds {
		u, _, err := crawl.ParseSeed(weburl.Options{}, s)
		if err != nil {
			return shell.UsageError("", "seed %q: %w", s, err)
		}
		addr, err := netip.ParseAddr(strings.Trim(u.Hostname(), "[]"))
		if u.Hostname() == "localhost" {
			addr, err = netip.IPv6Loopback(), nil
		}
		if err != nil || addr.IsGlobalUnicast() && !addr.IsPrivate() {
			continue
		}
		if !slices.ContainsFunc(g.Nets, func(n netip.Prefix) bool { return n.Contains(addr) }) && u.Hostname() != "localhost" || u.Hostname() == "localhost" && len(g.Nets) == 0 {
			return shell.UsageError("give --allow-private, or --allow-net with its network: what this machine may connect to is for you to say, not for the broker",
				"the seed %s is on a special address", u)
		}
	}
	return nil
}

// warn says which flags of access the first node was given and this one was not.
func (j *joining) warn(s cluster.Settings) {
	var lacks []string
	for _, name := range s.Access {
		if fl := j.set.Lookup(name); fl != nil && !fl.Changed {
			lacks = append(lacks, "--"+name)
		}
	}
	if lacks != nil {
		j.station.Log().Warn("the node that started the crawl was given flags of access that this one was not; pages may come out differently", "flags", strings.Join(lacks, " "))
	}
}
