package fetch

import (
	"context"
	"io"
	"net/http"
	"time"
)

// overTransport asks by net/http.
func (c *Client) overTransport(ctx context.Context, res *Response) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	raw, err := c.transported(ctx, cancel, res)
	if err != nil {
		cancel()
		return nil, err
	}
	raw.Body = &transportBody{ReadCloser: raw.Body, cancel: cancel}
	return raw, nil
}

func (c *Client) transported(ctx context.Context, cancel context.CancelFunc, res *Response) (*http.Response, error) {
	t := &tracer{started: res.Started, cancel: cancel}
	req, err := c.request(t.within(ctx, c.cfg.Trace), res)
	if err != nil {
		return nil, err
	}
	raw, err := c.transport.RoundTrip(req)
	switch {
	case err != nil && t.exhausted():
		return nil, errAttempts
	case err != nil:
		return nil, err
	case c.cfg.Trace:
		res.FirstByte, res.Remote = t.found()
	default:
		res.FirstByte = time.Since(res.Started)
	}
	return raw, nil
}

// transportBody is a body that net/http reads, in a context that ends with it.
type transportBody struct {
	io.ReadCloser
	cancel context.CancelFunc
	watch  *watch // nil without a pace
}

func (b *transportBody) keepPace(p *pace) { b.watch = newWatch(p, b.cancel) }

func (b *transportBody) Close() error {
	b.watch.stop()
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}
