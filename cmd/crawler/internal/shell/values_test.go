package shell

import "testing"

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "512": 512, "1KiB": 1024, "1k": -1, "2 MiB": 2 << 20, "3MB": 3e6, "1G": 1 << 30, "": -1, "-1": -1, "1.5MiB": -1} {
		var z Size
		err := z.Set(text)
		if (err != nil) != (want < 0) || err == nil && int64(z) != want {
			t.Errorf("%q: %d, %v; want %d", text, z, err, want)
		}
	}
}
