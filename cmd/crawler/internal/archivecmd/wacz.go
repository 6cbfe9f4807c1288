package archivecmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"crawler/archive"
	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/durable"
)

func newWACZ(s shell.Streams) *cobra.Command {
	var to, title string
	c := &cobra.Command{
		Use:   "wacz DIR -o FILE",
		Short: "Pack an archive into one file that other programs replay",
		Long: `wacz packs the archive, an index, the list of pages and digests of all into FILE, a WACZ
1.1.1, which ReplayWeb.page and others open. The answers are stored as they are. Of a crawl
that is running it packs what is there.`,
		Example: "  crawler archive wacz example -o example.wacz",
		Args:    shell.Exactly(1, "name a crawl's directory: crawler archive wacz DIR -o FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if to == "" {
				return shell.UsageError("crawler archive wacz "+shell.Quoted(args[0])+" -o FILE.wacz", "no file to write: -o is missing")
			}
			if _, err := os.Lstat(to); err == nil {
				return shell.UsageError("give another -o, or remove it", "%s is there already", to)
			}
			return pack(s, args[0], to, title)
		},
	}
	c.Flags().StringVarP(&to, "output", "o", "", "write `FILE`")
	c.Flags().StringVar(&title, "title", "", "call the collection `TEXT`; default the directory's name")
	return c
}

func pack(s shell.Streams, dir, to, title string) error {
	if title == "" {
		title = filepath.Base(filepath.Clean(dir))
	}
	z := archive.WACZ{Dir: dir, Title: title, Software: "crawler " + shell.Version, Now: time.Now(), Temp: filepath.Dir(to)}
	var p archive.Packed
	var unpacked error
	err := durable.Write(to, func(w io.Writer) (err error) {
		p, err = z.Write(w)
		unpacked = err
		return err
	})
	switch {
	case errors.Is(unpacked, archive.ErrNoWACZ):
		return &shell.ExitError{Code: shell.ExitFailed, Err: errors.Join(unpacked, p.Err()), Hint: "crawler archive verify " + shell.Quoted(dir) + " lists all damage"}
	case errors.Is(unpacked, archive.ErrNoArchive):
		return unread(unpacked)
	case err != nil:
		return shell.DiskError(err)
	}
	fmt.Fprintln(s.Err, p.String())
	return shell.Print(s.Out, fmt.Sprintf("%s: %s, %s, %s\n", to, shell.Counted(p.Files, "file"), shell.Counted(p.Answers, "answer"), shell.Counted(p.Pages, "page")))
}
