package settings

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"crawler/archive"
	"crawler/cmd/crawler/internal/shell"
	"crawler/fetch"
	"crawler/warc"
)

// checkArchive refuses settings of an archive that make no sense.
func (o *Options) checkArchive() error {
	switch {
	case o.Warc && o.Out == "-":
		return shell.UsageError("give -o DIR, or leave --warc out", "--warc writes files, and -o - none")
	case !o.Warc && (o.WarcSecrets || o.WarcDictionary != ""):
		return shell.UsageError("give --warc, too", "without --warc there is no archive that --warc-secrets or --warc-dictionary could be about")
	case o.WarcDictionary != "" && o.WarcCompress.Value != string(warc.Zstd):
		return shell.UsageError("give --warc-compress zstd, too", "--warc-dictionary is for zstd; gzip has no dictionary")
	case o.Warc && o.WarcSize == 0:
		return shell.UsageError("", "--warc-size must be above 0")
	}
	_, err := readDictionary(o.WarcDictionary)
	return err
}

// Archive is the configuration of the crawl's archive, but for where it is; client is the crawl's
// own. The dictionary is read now.
func (o *Options) Archive(client *fetch.Config) (archive.Config, error) {
	cfg := archive.Config{
		Size: int64(o.WarcSize), Compression: warc.Compression(o.WarcCompress.Value), Proxied: client.Proxy != nil,
	}
	robots, left := "classic", "nothing"
	if o.Robots.Value == "ignore" {
		robots = "ignore"
	}
	if !o.WarcSecrets {
		left = "secret fields of requests, such as Authorization and Cookie"
		cfg.LeaveOut = leftOut(client.OriginHeaders)
	}
	cfg.Info = warc.Header{
		{Name: "software", Value: "crawler/" + shell.Version},
		{Name: "format", Value: "WARC File Format 1.1"},
		{Name: "conformsTo", Value: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{Name: "robots", Value: robots},
		{Name: "http-header-user-agent", Value: client.UserAgent},
		{Name: "operator", Value: o.Contact},
		{Name: "leftOut", Value: left},
	}
	var err error
	cfg.Dictionary, err = readDictionary(o.WarcDictionary)
	return cfg, err
}

// leftOut are the fields that say who one is: those that do so by their names, and what was given
// for one host alone.
func leftOut(origins []fetch.OriginHeader) []string {
	all := slices.Clone(secretFields)
	for _, o := range origins {
		all = slices.AppendSeq(all, maps.Keys(o.Header))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// dictionaryMagic begins a dictionary as zstd --train makes it.
const dictionaryMagic = "\x37\xa4\x30\xec"

// readDictionary reads a dictionary, if one is named.
func readDictionary(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err == nil && info.Size() > warc.MaxDictionary {
		err = fmt.Errorf("%s has %d bytes, at most %d are possible", filepath.Base(name), info.Size(), warc.MaxDictionary)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(name)
	}
	if err == nil && (len(data) < len(dictionaryMagic) || string(data[:len(dictionaryMagic)]) != dictionaryMagic) {
		err = errors.New("it is no dictionary of zstd")
	}
	if err != nil {
		return nil, shell.UsageError("zstd --train FILE... -o DICTIONARY makes one", "--warc-dictionary: %w", err)
	}
	return data, nil
}
