package settings

import "testing"

func TestMaxMemory(t *testing.T) {
	var m memorySize
	for text, good := range map[string]bool{"0": true, "64MiB": true, "2G": true, "63MiB": false, "1": false, "-1": false, "much": false} {
		if err := m.Set(text); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := m.Set("100MiB"); err != nil || m != 100<<20 {
		t.Errorf("%d, %v", m, err)
	}
}
