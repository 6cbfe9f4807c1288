package clustercmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/report/shards"
	"crawler/weburl"
)

// verifyWait bounds a whole comparison.
const verifyWait = time.Hour

// reader reads shards' directories for a node. A URL that is sent again has no depth of its own:
// with --depth it is fetched, and its links are not followed.
func reader(s cluster.Settings) cluster.Reader {
	depth := 1
	if v := s.Flags["depth"]; len(v) == 1 {
		if n, err := strconv.Atoi(v[0]); err == nil && n > 0 {
			depth = n
		}
	}
	return cluster.Reader{
		Known: shards.Known,
		Leads: func(dir string, fn func(crawl.Offer) error) error {
			return shards.Leads(dir, func(l shards.Lost) error {
				return fn(crawl.Offer{Item: frontier.Item{URL: l.URL, Via: l.Via.String(), Depth: depth}})
			})
		},
		Hash: func(seed uint64) func(weburl.URL) uint64 {
			h := dedup.NewURLHash(seed)
			return h.Of
		},
	}
}

// NewVerify makes crawler cluster verify.
func NewVerify(s shell.Streams) *cobra.Command {
	a := &asking{wait: verifyWait}
	return a.verb("verify", "Compare what shards have sent each other with what they know",
		`verify has each shard of a running crawl compare what its pages lead to in other shards with
what those know, by 64-bit fingerprints. What is missing, because a broker has lost
what it had acknowledged, is sent
again, and named. Links that are on their way just then are taken for missing, too, and come twice,
without harm: ask a crawl that is idle, or paused.`,
		func(ctx context.Context, c *cluster.Crawl, _ *nats.Conn) error {
			missing, failed := 0, error(nil)
			err := c.Verify(ctx, settings.SecretSeed(), func(r cluster.Compared) {
				missing += r.Missing
				if r.Error != "" && failed == nil {
					failed = fmt.Errorf("shard %d: %s", r.Shard, r.Error)
				}
				failed = shell.FirstError(failed, shell.Print(s.Out, a.compared(r)))
			})
			if err = shell.FirstError(failed, err); err != nil {
				if e := (*shell.ExitError)(nil); errors.As(err, &e) {
					return err
				}
				return &shell.ExitError{Code: shell.ExitFailed, Err: err}
			}
			if missing > 0 {
				return &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("%s missing, and sent again", were(missing))}
			}
			return nil
		})
}

// were is a number of URLs with its verb.
func were(n int) string {
	if n == 1 {
		return "1 URL was"
	}
	return shell.Counted(n, "URL") + " were"
}

// compared is the text of one shard's result.
func (a *asking) compared(r cluster.Compared) string {
	if a.asJSON {
		data, err := json.Marshal(r)
		if err != nil {
			return ""
		}
		return string(data) + "\n"
	}
	text := fmt.Sprintf("shard %s: %s to other shards, %s missing\n", cluster.ShardName(r.Shard), shell.Counted(r.Links, "link"), shell.Commas(r.Missing))
	for _, u := range r.URLs {
		text += "  " + u + "\n"
	}
	return text
}
