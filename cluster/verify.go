package cluster

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"crawler/crawl"
	"crawler/weburl"
)

// Limits of a comparison.
const (
	// askedKeys is how many fingerprints one question has, 8 bytes each.
	askedKeys = 64 << 10
	// answerWait is how long a shard may take to read what it knows.
	answerWait = 2 * time.Minute
	// shownURLs is how many of the missing URLs are named.
	shownURLs = 20
	// sentTogether is how many of them are sent again at a time.
	sentTogether = 1 << 10
)

// Reader reads the directory of a shard that nobody works on, for Verify.
type Reader struct {
	Known func(dir string, fn func(weburl.URL) error) error  // what the shard knows
	Leads func(dir string, fn func(crawl.Offer) error) error // what its pages lead to, in any shard
	Hash  func(seed uint64) func(weburl.URL) uint64
}

// Compared is what one shard has sent the others, compared with what they know.
type Compared struct {
	Shard   int      `json:"shard"`
	Links   int      `json:"links"` // to other shards
	Missing int      `json:"missing"`
	URLs    []string `json:"urls,omitempty"` // the first that were missing
	Error   string   `json:"error,omitempty"`
}

// verification answers questions about the shards that a node has.
type verification struct {
	node *Node
	mu   sync.Mutex // one at a time

	cache sync.Mutex
	seed  uint64           // guarded by cache
	known map[int][]uint64 // of seed, sorted; guarded by cache
}

func (n names) verify() string         { return "c." + n.id + ".verify" }
func (n names) known(shard int) string { return fmt.Sprintf("c.%s.known.%d", n.id, shard) }

// listen answers until ctx ends.
func (v *verification) listen(ctx context.Context) error {
	nc := v.node.Crawl.js.Conn()
	var all []*nats.Subscription
	for subject, answer := range map[string]func(context.Context, *nats.Msg){
		v.node.Crawl.names.verify(): v.compareAll, "c." + v.node.Crawl.names.id + ".known.*": v.answer,
	} {
		s, err := nc.Subscribe(subject, func(m *nats.Msg) { go answer(ctx, m) })
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	<-ctx.Done()
	for _, s := range all {
		s.Unsubscribe() // the connection is being closed in any case
	}
	return nil
}

// reply sends JSON to who asked.
func reply(m *nats.Msg, v any) {
	if data, err := json.Marshal(v); err == nil {
		m.Respond(data)
	}
}

// compareAll compares what this node's shards have sent with what their owners know.
func (v *verification) compareAll(ctx context.Context, m *nats.Msg) {
	if len(m.Data) != 8 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	seed := binary.BigEndian.Uint64(m.Data)
	v.node.keepers.Range(func(_, k any) bool {
		c, err := v.compare(ctx, k.(*keeper), seed)
		if err != nil {
			c.Error = err.Error()
		}
		reply(m, c)
		return ctx.Err() == nil
	})
}

// compare compares one shard, and sends again what is missing.
func (v *verification) compare(ctx context.Context, k *keeper, seed uint64) (c Compared, err error) {
	c.Shard = k.shard
	dir, done, err := k.copied(ctx, "verify")
	if err != nil {
		return c, err
	}
	defer done()
	owners, hash := NewOwners(v.node.Crawl.Settings.Shards), v.node.Read.Hash(seed)
	sent := map[int]map[uint64]crawl.Offer{}
	err = v.node.Read.Leads(dir, func(o crawl.Offer) error {
		if to := owners.Of(o.URL); to != k.shard {
			if sent[to] == nil {
				sent[to] = map[uint64]crawl.Offer{}
			}
			sent[to][hash(o.URL)] = o
			c.Links++
		}
		return ctx.Err()
	})
	for to, offers := range sent {
		if err != nil {
			break
		}
		err = v.ask(ctx, to, seed, offers, &c)
	}
	return c, err
}

// ask asks a shard's owner which of the offers it does not know, and sends those again.
func (v *verification) ask(ctx context.Context, to int, seed uint64, offers map[uint64]crawl.Offer, c *Compared) error {
	keys := make([]uint64, 0, len(offers))
	for key := range offers {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var again []crawl.Offer
	for part := range slices.Chunk(keys, askedKeys) {
		question := binary.BigEndian.AppendUint64(nil, seed)
		for _, key := range part {
			question = binary.BigEndian.AppendUint64(question, key)
		}
		one, cancel := context.WithTimeout(ctx, answerWait)
		m, err := v.node.Crawl.js.Conn().RequestWithContext(one, v.node.Crawl.names.known(to), question)
		cancel()
		if err != nil {
			return fmt.Errorf("shard %d does not answer: %w", to, err)
		}
		if len(m.Data)%8 != 0 {
			return fmt.Errorf("shard %d: %s", to, m.Data)
		}
		for b := m.Data; len(b) > 0; b = b[8:] {
			if o, asked := offers[binary.BigEndian.Uint64(b)]; asked {
				again = append(again, o)
			}
		}
	}
	for _, o := range again {
		if c.Missing++; len(c.URLs) < shownURLs {
			c.URLs = append(c.URLs, o.URL.String())
		}
	}
	for part := range slices.Chunk(again, sentTogether) {
		if err := v.node.batches.publish(ctx, v.node.ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// answer returns those of some fingerprints that a shard of this node does not know. An answer
// whose length is no multiple of 8 is an error's text.
func (v *verification) answer(ctx context.Context, m *nats.Msg) {
	shard, err := strconv.Atoi(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:])
	k, has := v.node.keepers.Load(shard)
	if err != nil || !has || len(m.Data)%8 != 0 || len(m.Data) < 8 {
		return // another node has it
	}
	known, err := v.knownBy(ctx, k.(*keeper), binary.BigEndian.Uint64(m.Data))
	if err != nil {
		text := "cannot be read: " + err.Error()
		if len(text)%8 == 0 {
			text += "."
		}
		m.Respond([]byte(text))
		return
	}
	var missing []byte
	for b := m.Data[8:]; len(b) > 0; b = b[8:] {
		if _, found := slices.BinarySearch(known, binary.BigEndian.Uint64(b)); !found {
			missing = append(missing, b[:8]...)
		}
	}
	m.Respond(missing)
}

// knownBy returns the fingerprints of what a shard knows. They are kept until another seed comes.
func (v *verification) knownBy(ctx context.Context, k *keeper, seed uint64) ([]uint64, error) {
	v.cache.Lock()
	defer v.cache.Unlock()
	if v.seed != seed {
		v.seed, v.known = seed, map[int][]uint64{}
	}
	if list := v.known[k.shard]; list != nil {
		return list, nil
	}
	dir, done, err := k.copied(ctx, "known")
	if err != nil {
		return nil, err
	}
	defer done()
	hash, list := v.node.Read.Hash(seed), []uint64{}
	if err := v.node.Read.Known(dir, func(u weburl.URL) error {
		list = append(list, hash(u))
		return ctx.Err()
	}); err != nil {
		return nil, err
	}
	slices.Sort(list)
	v.known[k.shard] = list
	return list, nil
}

// copied makes a directory of the running shard at a commit, which done removes. Its files are
// links where that is possible.
func (k *keeper) copied(ctx context.Context, what string) (dir string, done func(), err error) {
	base := filepath.Join(filepath.Dir(k.dir), "."+ShardName(k.shard)+"."+what)
	done = func() { os.RemoveAll(base) } // else the next one does
	done()
	take := k.taking.Load()
	if take == nil {
		return "", done, errors.New("it is being opened")
	}
	pieces, err := (*take)(ctx, filepath.Join(base, "state"))
	dir = filepath.Join(base, "crawl")
	for _, p := range pieces {
		to := filepath.Join(dir, filepath.FromSlash(p.Name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil && os.Link(p.Path, to) != nil {
			err = copyPiece(p, to)
		}
	}
	if err != nil {
		done()
	}
	return dir, done, err
}

// Verify has each shard compare what its pages lead to in other shards with what those know. What
// is missing, they send again. Each result is handed to fn. A crawl that is busy has links on
// their way, which are taken for missing, and sent twice, without harm.
func (c *Crawl) Verify(ctx context.Context, seed uint64, fn func(Compared)) error {
	nc := c.js.Conn()
	inbox := nc.NewRespInbox()
	answers, err := nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer answers.Unsubscribe()
	if err := nc.PublishRequest(c.names.verify(), inbox, binary.BigEndian.AppendUint64(nil, seed)); err != nil {
		return err
	}
	for had := map[int]bool{}; len(had) < c.Settings.Shards; {
		m, err := answers.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrNoResponders) {
			return errors.New("no node answers: verify asks those that crawl")
		}
		if err != nil {
			return fmt.Errorf("%d of %d shards have answered: %w", len(had), c.Settings.Shards, err)
		}
		var one Compared
		if err := json.Unmarshal(m.Data, &one); err != nil {
			return err
		}
		if !had[one.Shard] {
			had[one.Shard] = true
			fn(one)
		}
	}
	return nil
}
