package readcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/temoto/robotstxt"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/fetch"
	"crawler/report"
	"crawler/weburl"
)

// NewRobots makes crawler robots.
func NewRobots(s shell.Streams) *cobra.Command {
	o := &robotsOptions{}
	c := &cobra.Command{
		Use:   "robots URL|FILE [PATH]",
		Short: "Say whether a robots.txt allows a path, and which of its lines decides",
		Long: `robots fetches the robots.txt of the site at URL, or reads FILE (- is standard input), and says
whether this crawler may fetch PATH there, as crawler crawl would decide, and which line of the
file decides. PATH may be a URL of the site; without it, it is that of URL.

It also says where temoto/robotstxt, which many Go programs use, would decide otherwise;
docs/robots.md lists the reasons.`,
		Example: `  crawler robots https://example.com/private/page
  crawler robots example.com /search?q=x
  crawler robots robots.txt /private/ --robots-token ExampleBot`,
		Args: shell.Between(1, 2, "name a site or a file, and a path: crawler robots https://example.com/ /private/"),
		RunE: func(c *cobra.Command, args []string) error {
			v, err := o.decide(c.Context(), s.In, args[0], strings.Join(args[1:], ""))
			if err != nil {
				return err
			}
			return v.print(s.Out, o.json)
		},
	}
	f := c.Flags()
	f.StringVar(&o.token, "robots-token", "", "decide for the groups of `NAME` (default the user agent's name)")
	f.StringVar(&o.agent, "user-agent", "crawler/"+shell.Version, "the whole User-Agent `TEXT`")
	f.BoolVar(&o.json, "json", false, "print the decision as JSON")
	return c
}

type robotsOptions struct {
	agent, token string
	json         bool
}

// verdict is what crawler robots prints.
type verdict struct {
	From    string `json:"from"` // URL or file
	Path    string `json:"path"`
	Token   string `json:"token"`
	Allowed bool   `json:"allowed"`
	Status  string `json:"status"`
	Line    int    `json:"line,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Delay   string `json:"crawl_delay,omitempty"`
	Temoto  string `json:"temoto"` // "allowed", "forbidden", or why it does not decide
}

// decide reads the file that source names and decides about path.
func (o *robotsOptions) decide(ctx context.Context, stdin io.Reader, source, path string) (*verdict, error) {
	v := &verdict{From: source, Token: cmp.Or(o.token, fetch.ProductToken(o.agent))}
	site, bare, err := crawl.ParseSeed(weburl.Options{}, source)
	if info, serr := os.Stat(source); source == "-" || serr == nil && !info.IsDir() { // a pipe, too
		if v.Path, err = pathIn(path, weburl.URL{}); err != nil {
			return nil, err
		}
		return v, v.fromFile(stdin, source)
	}
	const hint = "name a site such as https://example.com/, or a file that is there"
	switch {
	case bare && strings.HasSuffix(site.Hostname(), ".txt"), // which no host's name has
		err != nil && source != "" && !strings.Contains(source, "://"):
		return nil, shell.UsageError(hint, "there is no file %s, and no host of that name", source)
	case err != nil:
		return nil, shell.UsageError(hint, "%w", err)
	}
	if v.Path, err = pathIn(path, site); err != nil {
		return nil, err
	}
	return v, v.fromSite(ctx, o, site, bare)
}

// pathIn is what a rule is compared with: path, which may be a URL, or else that of site.
func pathIn(path string, site weburl.URL) (string, error) {
	if path == "" && !site.IsZero() {
		return site.RequestURI(), nil
	}
	base := site
	if base.IsZero() {
		base, _ = weburl.Parse("http://file.example/") // of which nothing is used
	}
	u, err := weburl.Options{}.Resolve(base, cmp.Or(path, "/"))
	switch {
	case err != nil:
		return "", shell.UsageError("write it like /private/page?x=1", "%w", err)
	case !site.IsZero() && u.Origin() != site.Origin():
		return "", shell.UsageError("each origin has its own: crawler robots "+shell.Quoted(path), "%s has another robots.txt than %s", u, site.Origin())
	}
	return u.RequestURI(), nil
}

// maxRobotsFile is how much of a robots.txt counts.
const maxRobotsFile = 500 << 10

func (v *verdict) fromFile(stdin io.Reader, name string) error {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return shell.UsageError("check the path", "%w", err)
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxRobotsFile))
	if err != nil {
		return &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("%s: %w", name, err)}
	}
	v.explain(body)
	return nil
}

// explain decides by a file that was read.
func (v *verdict) explain(body []byte) {
	d := fetch.Explain(body, v.Token, v.Path)
	v.Allowed, v.Status, v.Line, v.Rule = d.Allowed, d.Status, d.Line, d.Rule
	if delay, ok := fetch.ParseRobots(body, v.Token).CrawlDelay(); ok {
		v.Delay = delay.String()
	}
	v.Temoto = temoto(body, v.Token, v.Path)
}

// fromSite asks the site.
func (v *verdict) fromSite(ctx context.Context, o *robotsOptions, site weburl.URL, bare bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	client, err := fetch.New(fetch.Config{UserAgent: o.agent, Guard: &fetch.Guard{Seeds: []weburl.URL{site}}})
	if err != nil {
		return shell.UsageError("", "%w", err)
	}
	defer client.Close()
	rules, body, err := askRobots(ctx, client, v.Token, site.Origin())
	if bare && err == nil && rules.Err() != nil { // as a crawl does
		if site, err = weburl.Parse("http" + strings.TrimPrefix(site.String(), "https")); err == nil {
			rules, body, err = askRobots(ctx, client, v.Token, site.Origin())
		}
	}
	if err != nil {
		return &shell.ExitError{Code: shell.ExitFailed, Err: err}
	}
	v.From = site.Origin() + "/robots.txt"
	v.Allowed, v.Status = rules.Why(v.Path)
	v.Temoto = "it reads files alone, and there is none"
	if source := rules.Source(); source == fetch.RobotsGroup || source == fetch.RobotsNoGroup {
		v.explain(body)
	}
	return nil
}

// askRobots returns an origin's rules and the body that they were read from.
func askRobots(ctx context.Context, client *fetch.Client, token, origin string) (rules *fetch.Rules, body []byte, err error) {
	robots := fetch.NewRobots(client, fetch.RobotsConfig{Token: token})
	rules, err = robots.Fetch(ctx, origin, func(_ weburl.URL, resp *fetch.Response, _ error) bool {
		if resp != nil {
			body = append([]byte(nil), resp.Body[:min(len(resp.Body), maxRobotsFile)]...)
		}
		return false
	})
	return rules, body, err
}

// maxTemoto is the largest file that temoto/robotstxt is shown: it compiles every rule into a
// regular expression, which takes half a minute for a hostile file of 500 KiB.
const maxTemoto = 64 << 10

// temoto is the decision of temoto/robotstxt.
func temoto(body []byte, token, path string) string {
	if len(body) > maxTemoto {
		return fmt.Sprintf("not asked: the file is larger than %s", shell.SizeText(maxTemoto))
	}
	data, err := robotstxt.FromBytes(body)
	switch {
	case err != nil:
		return "refuses the file: " + report.OneLine(err.Error(), 100)
	case data.TestAgent(path, token):
		return "allowed"
	}
	return "forbidden"
}

func word(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "forbidden"
}

// print prints the verdict.
func (v *verdict) print(w io.Writer, asJSON bool) error {
	if asJSON {
		data, err := json.Marshal(v)
		if err != nil {
			return &shell.ExitError{Code: shell.ExitFailed, Err: errors.Join(errors.New("the decision"), err)}
		}
		return shell.Print(w, report.Printable(string(data))+"\n")
	}
	text := fmt.Sprintf("%s is %s to %s by %s\n", v.Path, word(v.Allowed), v.Token, v.From)
	if v.Line > 0 {
		text += fmt.Sprintf("  line %d decides: %s\n", v.Line, report.OneLine(v.Rule, 200))
	} else {
		text += "  no line of it decides\n"
	}
	text += fmt.Sprintf("  %s\n", v.Status)
	if v.Delay != "" {
		text += fmt.Sprintf("  Crawl-delay: %s\n", v.Delay)
	}
	switch v.Temoto {
	case word(v.Allowed):
		text += "  temoto/robotstxt decides the same\n"
	case word(!v.Allowed):
		text += fmt.Sprintf("  temoto/robotstxt decides otherwise: %s\n", v.Temoto)
	default:
		text += fmt.Sprintf("  temoto/robotstxt: %s\n", v.Temoto)
	}
	return shell.Print(w, report.Printable(text))
}
