package demosite_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"crawler/internal/demosite"
)

// A test server answers for all hosts of the web; here the Host header chooses.
func Example() {
	web := demosite.New(1)
	server := httptest.NewServer(web)
	defer server.Close()

	req, _ := http.NewRequest("GET", server.URL+"/busy/once.html", nil)
	req.Host = "flaky.demo.example"
	for range 2 {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
	}
	for _, h := range web.Log() {
		fmt.Println(h.Host, h.Path, h.Status)
	}
	truth := web.Truth().Pages["http://flaky.demo.example/busy/once.html"]
	fmt.Println(truth.Class, truth.Status, "after", truth.Answers, "requests")
	// Output:
	// flaky.demo.example /busy/once.html 429
	// flaky.demo.example /busy/once.html 200
	// linked 200 after 2 requests
}
