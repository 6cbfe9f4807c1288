package fetch

import "testing"

func TestRFC9309_2_2_1_ProductToken(t *testing.T) {
	agents := map[string]string{
		"walker/1.0 (+https://e.com)": "walker",
		"walker":                      "walker",
		"walker-images_x 2":           "walker-images_x",
		"walker2/1.0":                 "walker",
		"":                            "",
		"(odd)":                       "",

		"Mozilla/5.0 (compatible; ExampleBot/0.1; +https://e.com)": "ExampleBot",
		"mozilla/5.0 (compatible;ExampleBot/0.1)":                  "ExampleBot",
		"Mozilla/5.0 (compatible; ExampleBot; rv 3)":               "ExampleBot",
		"Mozilla/5.0 (compatible; 360Spider/1.0)":                  "360Spider",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ExampleBot/2.1; +https://e.com) Chrome/1.2 Safari/5": "ExampleBot",
		"Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)":                                                                 "Mozilla",
		"Mozilla/4.0 (compatible; MSIE 6.0; compatible; ExampleBot)":                                                         "ExampleBot",
		"Mozilla/5.0 (compatible; +https://e.com)":                                                                           "Mozilla",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/2010 Firefox/140.0":                                                 "Mozilla",
		"Mozilla/5.0":                         "Mozilla",
		"walker/1 (compatible; ExampleBot/1)": "walker",

		"360Spider/1.0": "360Spider",
		"80legs":        "80legs",
		"008/0.83":      "008",
	}
	for agent, want := range agents {
		if got := ProductToken(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
	t.Logf("tokens: %d passed, 0 deviating", len(agents)) // make conformance prints it
	for token, want := range map[string]bool{"": true, "Mozilla": true, "mozilla": true, "Mozillabot": false, "crawler": false} {
		if IsNobody(token) != want {
			t.Errorf("%q is nobody: %v", token, !want)
		}
	}
}

// An agent whose name begins with a digit, or has one, obeys its own group and no other's.
func TestRFC9309_2_2_1_NamesWithDigits(t *testing.T) {
	for _, c := range []struct {
		token, group string
		ours         bool
	}{
		{"360Spider", "360Spider", true},
		{"360Spider", "360spider/1.0", true},
		{"360Spider", "360Spider-Image", false},
		{"360Spider", "360Spider2", false},
		{"360Spider", "360", false},
		{"360", "360Spider", false},
		{"008", "008/0.83", true},
		{"008", "0083", false},
		{"s3bot", "s3bot", true},
		{"s3bot", "s3bot2", false},
		{"walker", "walker2", true}, // the name ends at the digit
	} {
		rules := ParseRobots([]byte("user-agent: *\ndisallow:\n\nuser-agent: "+c.group+"\ndisallow: /"), c.token)
		if rules.Allowed("/a") == c.ours {
			t.Errorf("%s obeys the group of %s: %v, want %v", c.token, c.group, !c.ours, c.ours)
		}
	}
}
