# make run   crawl the demo web and print its report
# make test  everything that decides whether a change may land
GO       ?= go
FUZZTIME ?= 10s

# Tools are pinned here and run outside the module, so that go.mod names only what
# the program needs.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.8.0
VULNDB     ?= https://vuln.go.dev

.PHONY: run build test bench lint vuln fmt fuzz real real-big

run:
	$(GO) run ./cmd/crawler demo

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o crawler ./cmd/crawler

test:
	$(GO) test -race -shuffle=on ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./weburl ./frontier ./dedup ./fetch ./parse ./stats ./crawl

lint:
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

vuln:
	$(GO) run $(GOVULNCHECK) -db $(VULNDB) ./...

fmt:
	gofmt -w .

# Every fuzz target in turn.
fuzz:
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; \
	done

# The binary against a documentation tree served by nginx: every page that links
# reach, found independently, fetched once. Needs nginx and the package.
real: build
	DOCUMENT_TREE=/usr/share/doc/postgresql-doc-15/html $(GO) test -count=1 -run TestRealDocuments -v ./cmd/crawler

# The same with over 10,000 pages; figures in docs/figures.md.
real-big: build
	DOCUMENT_TREE=/usr/share/doc/openjdk-17-jre-headless/api $(GO) test -count=1 -run TestRealDocuments -v -timeout 20m ./cmd/crawler
