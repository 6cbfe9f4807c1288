# make run   crawl the demo web and print its report
# make test  everything that decides whether a change may land
GO       ?= go
FUZZTIME ?= 10s

# Everything is built without cgo, as the binary is, and so that all packages are compiled once:
# the race detector alone needs it, and a C compiler. Without one the tests run without it. The tag
# keeps a decompressor in C out, which Pebble would have with cgo. A program under the detector
# sleeps for a second before it ends, for goroutines that it left behind; crawl's
# TestNothingIsLeftBehind looks for these, and what the detector has found it reports all the same.
export CGO_ENABLED = 0
RACE    := $(if $(shell command -v $${CC:-gcc} 2>/dev/null),-race)
RACING   = CGO_ENABLED=1 GORACE="$(GORACE) atexit_sleep_ms=0"
RACETAGS = -tags pebblegozstd

# Packages in which no goroutine is started, tests included: the race detector could find
# nothing there and would take ten times as long. arch_race_test.go holds the lists.
SERIAL = . ./chunk ./cmd/crawler/internal/procinfo ./cmd/crawler/internal/sheetflags \
  ./cmd/crawler/internal/shell ./configs ./dedup ./diff ./frontier ./gate ./internal/binform \
  ./internal/inflate ./internal/mazes ./internal/sheet ./internal/splitmix ./lab ./near ./parse ./ring ./stats \
  ./trap ./warc ./weburl

# Packages whose own tests start no goroutine, though their code does or is called from some:
# it runs under the detector in the tests of cmd/crawler, crawl and graph/survey.
QUIET = ./cmd/crawler/internal/crawldir ./cmd/crawler/internal/graphcmd \
  ./cmd/crawler/internal/settings ./ledger/disk
ONCE  = $(shell $(GO) list $(SERIAL) $(QUIET))
RACY  = $(filter-out $(ONCE),$(shell $(GO) list ./...))

# Tests of the other packages that are smaller under -short, or left out. arch_long_test.go holds the list.
LONG = TestAddressOf1000Sites TestBenchSites TestBodyIsNoBomb TestBomb TestBombInLowerLayer TestBuilder \
  TestCalendarIsEndless TestCheck TestCheckpointsOfARunningCrawl TestChunksSurviveAKill \
  TestClasses TestClosest TestClusterKill TestComponentsAgainstUnionFind TestCompression \
  TestConnectionsOfManyHosts TestCountersAgainstTruth TestCrashTable TestCrashesLoseNothing \
  TestDamageIsTold TestDamageOfTheArchiveIsRepaired TestDamagedBits \
  TestDeadHostsDoNotSlowTheLiving TestDecode TestDiffEqualsComm TestDocsProportions TestDocsWalk \
  TestEveryExchangeIsInBothModes TestEveryFileOperationMayFail TestEveryHopIsARecord \
  TestEveryURLHasOneOutcome TestExchangesAreCutWithTheCommit TestExportTooLarge TestFewDescriptors \
  TestFitsTheDemo TestFullFormsFollow TestGetReadsFewChunks TestGrepReadsFewChunks \
  TestHostSampleIsUnbiased TestHostileRobots TestHostileSiteInEveryOutput \
  TestHostsAndSeedsAreCopies TestKill TestKilledAndRestored TestKilledAtFileOperations \
  TestKillsChangeNoVerdict TestKillsLoseNothingHonest TestLargePagesGrowTheirWordsOnce \
  TestLineIsJSON TestLogIsBounded TestManyHostsKeepThePipeFull TestMaxBodyDecoded TestMemory \
  TestMergedWordsAreUnbiased TestMirrorDiffersInFewWords TestNeighbourhoodIntervals \
  TestNeighbourhoodsAgainstExact TestNestedBombs TestNoAnswerIsLostOrTwiceAfterPowerCuts \
  TestNobodySharesAnAddress TestOnlySite TestOracle TestOrders TestOrdinaryDays \
  TestOtherDamageIsTold TestOverNetHTTP TestPageRankAgainstExact TestPipeIsFull \
  TestPowerLawOfSamples TestPowerLawPValue TestQuietScripts TestRandomWebsAgainstOracle \
  TestRedirects TestRefusals TestResetWithoutHijack TestRestoreRefusesBrokenChains \
  TestRestoreRefusesCounters TestRestoreRefusesDamage TestRestoreRefusesTornDeltas \
  TestResultsDoNotDependOnWorkers TestRetryEndsAsIfNothingHadFailed TestRewriteIsAllOrNothing \
  TestRobots TestRoundTrip TestRouting TestRulesAgainstOracle TestRulesAgainstTemoto TestScan \
  TestScanFrom TestSeedDecidesEverything TestSeveralInFlightAreBreadthFirst \
  TestShardsFindPlantedFaults TestShardsLoseNothing TestSieveCrash TestSieveCrashDatabase \
  TestSieveDamage TestSieveExtremes TestSieveMerges TestSieveOracle TestSizesAndSkew \
  TestSmallServerOf500Names TestSpamPagesAreNoCopies TestSpamStandsOut \
  TestSparseSuperstepsChangeNothing TestTheIndexIsSmall TestTranspose TestTrapsAreAvoided \
  TestTrapsAreWritten TestTroubles TestTruthAgainstWalk TestTruthLaws TestUnusualDocuments \
  TestWalkFindsAll TestWhatItsOwnPatternVouchesForIsFetched TestWhyFindsWhatFiltersDoNotCover \
  TestWhyReadsFewChunks TestWildcardWorkIsBounded TestWordsAreForPeopleAlone TestWritten \
  TestXHTMLIsWellFormed TestZipf
space = $(subst ,, )
ANY_LONG = $(subst $(space),|,$(strip $(LONG)))
HAS_LONG = ${filter $(RACY),${shell $(GO) list $$(grep -rlE --include='*_test.go' --exclude-dir=bench \
  '^func ($(ANY_LONG))\(' . | xargs -n 1 dirname | sort -u)}}

# Tools are pinned here and run outside the module, so that go.mod names only what
# the program needs.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.8.0
BENCHSTAT   = golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
VULNDB     ?= https://vuln.go.dev

.PHONY: run build build-lite install module test platforms bench bench-baseline bench-compare pipe bench-sketches bench-rivals truth lint vuln fmt conformance fuzz real real-big real-diff diff-million kill cluster-kill cluster-cost shards-long soak trouble memory cost written mutants archive-check

run:
	$(GO) run ./cmd/crawler demo

build:
	$(GO) build -trimpath -ldflags '-s -w' -o crawler ./cmd/crawler

# Without the embedded broker, 9 MB smaller: crawler cluster start then needs --broker.
build-lite:
	$(GO) build -tags lite -trimpath -ldflags '-s -w' -o crawler ./cmd/crawler

# Into PREFIX/bin, as other programs: make install PREFIX=$HOME/.local
PREFIX ?= /usr/local

install: build
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 crawler $(DESTDIR)$(PREFIX)/bin/crawler

# The module under the path where you publish it: make module PATH=example.org/you/crawler. That
# variable is also where commands are looked for, which therefore has its value from before.
WAS_PATH := $(shell printenv PATH)

module:
	@PATH="$(WAS_PATH):/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin"; export PATH; \
	  sh bench/rename.sh $(if $(filter command line,$(origin PATH)),'$(PATH)')

# Every test runs once at least, and every one that the race detector can judge under it. There
# packages have the size of -short, so what that makes smaller runs at its full size as well,
# without the detector. TestSoak and TestTrouble wait for most of their half a minute whatever the
# size. ok lines come as packages end: the slowest, cmd/crawler, holds up the first. On a machine that
# others keep busy it takes more than the ten minutes that go test allows. Crawls often wait for
# their hosts, so where they are tested four tests run at a time.
PATIENCE = -timeout 30m
WAITING  = -parallel 4

# Eighty test programs are linked: without symbols and tables for debuggers each takes two thirds of
# the time.
LINK = -ldflags='-s -w'

test:
ifdef RACE
	@echo "== packages without goroutines"
	$(GO) vet ./...
	$(GO) test $(LINK) -vet=off -shuffle=on $(PATIENCE) $(ONCE)
	@echo "== tests of the others that are smaller below, at their full size"
	$(GO) test $(LINK) -vet=off -shuffle=on $(PATIENCE) $(WAITING) -run '^($(ANY_LONG))$$' $(HAS_LONG)
	@echo "== the others, under the race detector"
	$(RACING) $(GO) test $(LINK) $(RACE) $(RACETAGS) -vet=off -short -shuffle=on $(PATIENCE) $(WAITING) $(RACY)
else
	@echo "== all tests, not under the race detector: there is no C compiler"
	$(GO) test -shuffle=on $(PATIENCE) ./...
endif

# The micro-benchmarks of the hot paths beside bench/baseline.txt (five minutes), and two
# commits of this tree by turns; docs/benchmarks.md says what each can tell. ONLY=parse
# takes one package, ROUNDS and TIME are passed on, too.
BENCH_NOW   = $(or $(TMPDIR),/tmp)/crawler-bench
BENCH_SHOWS = -filter '.unit:(sec/op OR allocs/op)' -ignore cpu

bench:
	GO=$(GO) bench/micro.sh print > $(BENCH_NOW).txt
	$(GO) run $(BENCHSTAT) $(BENCH_SHOWS) $(wildcard bench/baseline.txt) $(BENCH_NOW).txt

bench-baseline:
	GO=$(GO) bench/micro.sh print > $(BENCH_NOW).txt
	mv $(BENCH_NOW).txt bench/baseline.txt

bench-compare:
	GO=$(GO) bench/micro.sh compare "$(BASE)" $(BENCH_NOW)
	$(GO) run $(BENCHSTAT) $(BENCH_SHOWS) $(BENCH_NOW).old $(BENCH_NOW).new

# A thousand hosts of 20 ms latency over 256 connections, each asked every 100 ms at most:
# the share of the allowed rate that the crawler reaches, and what limits it.
pipe:
	PIPE=1 $(GO) test -count=1 -run 'TestPipe$$|TestPipeOfOneAddress' -v ./crawl

# Filters and sketches by turns with those of other libraries: a table of ratios and of
# the goals met and missed. Eight minutes and 2 GB; without BENCH_LARGE one minute.
bench-sketches:
	cd bench && BENCH_LARGE=1 BENCH_TEXT=$(TEXT) $(GO) test -count=1 -run TestSideBySide -v -timeout 30m .

# The race against other crawlers (docs/rivals.md): a table of pages a second, CPU and memory
# a page, recall and duplicates, and the goals met and missed. A quarter of an hour;
# ROUNDS=1 PAGES=2000 takes a minute. RIVALS="-only 'colly|bare' -json FILE" passes flags on;
# RIVALS_NODE names folders with the node_modules of Crawlee and spider-rs.
PAGES ?= 20000

bench-rivals:
	cd bench/rivals && CGO_ENABLED=1 $(GO) run . -rounds $(or $(ROUNDS),5) -pages $(PAGES) $(RIVALS)

# The tests of a tree whose code was changed in one line, for each of the changes in
# bench/mutants/list.txt: which do they not notice? Twenty minutes; ONLY='^gate' takes a room,
# TREE another tree, MUTANTS="-owner" passes flags on.
mutants:
	cd bench && $(GO) run ./mutants -tree $(or $(TREE),..) -only '$(ONLY)' $(MUTANTS)

# Every estimator and filter against exact answers, at all sizes and seeds: an hour. The estimates
# that a report prints are tried on texts of Debian packages that CORPORA_SEED chooses, kept in
# CORPORA; without a network they are left out, and it says so.
CORPORA_SEED ?= 2026
CORPORA      ?= $(or $(TMPDIR),/tmp)/crawler-corpora-$(CORPORA_SEED)

truth:
	STATS_LONG=1 STATS_TEXT=$(wildcard $(TEXT)) $(GO) test -count=1 -v -timeout 60m -run 'Truth|Sample|CountSketch|Heavy' ./stats
	DEDUP_LONG=1 $(GO) test -count=1 -v -timeout 60m -run 'ClassicRate|HoldTheirRate|NoFalseNegative|SpectralMethods|Risk' ./dedup
	BSP_LONG=1 $(GO) test -count=1 -v -timeout 60m -run 'NeighbourhoodIntervals|PValue' ./graph/bsp
	LAB_LONG=1 $(GO) test -count=1 -v -timeout 60m -run ErrAsExpected ./lab
	@if bench/corpora.sh "$(CORPORA)" $(CORPORA_SEED); then \
	  LAB_CORPORA="$(CORPORA)" $(GO) test -count=1 -v -timeout 90m -run 'TruthOf' ./lab; \
	else code=$$?; if [ $$code = 3 ]; then echo "truth: the texts of packages were left out, see above"; else exit $$code; fi; fi

# The rivals are type-checked from source and vetted: for go vet hundreds of modules, one a parser in
# C, would be compiled.
lint:
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	cd bench && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	cd bench && $(GO) run ./platforms -tree rivals -cgo $(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)

# All packages and their tests as they are on the systems and processors that are supported,
# without cgo: type-checked from source and vetted, so files for other systems cannot rot. No
# code is made (bench/platforms says what that leaves out): with an empty build cache
# eight times go build would take eight minutes of two cores, this takes half a minute.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 \
  windows/amd64 windows/arm64 freebsd/amd64 freebsd/arm64

platforms:
	cd bench && $(GO) run ./platforms -tree .. $(PLATFORMS)

vuln:
	$(GO) run $(GOVULNCHECK) -db $(VULNDB) ./...

fmt:
	gofmt -w .

# Standards' own cases: how many pass, and how many deviate as docs/conformance.md says.
# Whole sets of test files run too when WPT_URL_RESOURCES or CRAWLER_HTML5LIB_TESTS names
# their folder.
CONFORMANCE = Conformance|RFC9309_2_2_1_ProductToken|RFC6265bis_5_7|HTML_CharsetBehindTheFirstKiB

conformance:
	@out=$$($(GO) test -count=1 -v -run '$(CONFORMANCE)' . ./fetch ./parse 2>&1) || { echo "$$out"; exit 1; }; \
	  echo "$$out" | sed -n 's/^.*\.go:[0-9]*: \([a-z]*: [0-9]* passed, [0-9]* deviating\)$$/\1/p'
	@if [ -n "$$WPT_URL_RESOURCES" ]; then $(GO) test -count=1 -v -run WHATWG ./weburl; fi
	@if [ -n "$$CRAWLER_HTML5LIB_TESTS" ]; then $(GO) test -count=1 -v -run HTML5Lib ./parse; fi

# Every fuzz target in turn, by one program a package: go test links one for each target.
# When its time is over, a target before Go 1.27 now and then says "context deadline exceeded"
# although no input failed (go.dev/issue/75804); such a target has a second try.
fuzz:
	@bin=$$(mktemp -d) && trap 'rm -rf "$$bin"' EXIT && found=$$($(GO) env GOCACHE)/fuzz && \
	for p in $$($(GO) list -f '{{.ImportPath}}:{{.Dir}}' ./...); do \
	  name=$${p%%:*} folder=$${p#*:}; \
	  grep -qs '^func Fuzz' "$$folder"/*_test.go || continue; \
	  $(GO) test -c -vet=off -fuzz=^Fuzz -o "$$bin/fuzz.test" "$$name" && cd "$$folder" || exit 1; \
	  for f in $$("$$bin/fuzz.test" -test.list ^Fuzz); do \
	    echo "$$name $$f"; \
	    set -- "$$bin/fuzz.test" -test.run '^$$' -test.fuzz "^$$f$$" -test.fuzztime $(FUZZTIME) \
	      -test.fuzzminimizetime 5x -test.fuzzcachedir "$$found/$$name"; \
	    out=$$("$$@" 2>&1) || \
	      { echo "$$out" | grep -q '^ *context deadline exceeded' && out=$$("$$@" 2>&1); } || \
	      { echo "$$out"; exit 1; }; \
	    echo "$$out" | grep elapsed | tail -1; \
	  done; \
	done

# Real documents, served by nginx: the binary must fetch every page that an independent
# walk over the files finds, once, and its figures must hold; and the one-pass parser
# must find the same links and words as goquery on every page. Needs nginx-light and
# the documentation package (.ci/packages installs them).
REAL      = /usr/share/doc/postgresql-doc-15/html
REAL_BIG  = /usr/share/doc/openjdk-17-jre-headless/api
TEXT     ?= $(REAL)

real:
	DOCUMENT_TREE=$(REAL) $(GO) test -count=1 -run TestRealDocuments -v ./cmd/crawler
	CRAWLER_HTML_TREES=$(REAL) $(GO) test -count=1 -run TestTreesAsGoquery -v ./parse

# The same with over 10,000 pages (openjdk-17-doc); figures in docs/figures.md.
real-big:
	DOCUMENT_TREE=$(REAL_BIG) $(GO) test -count=1 -run TestRealDocuments -v -timeout 20m ./cmd/crawler
	CRAWLER_HTML_TREES=$(REAL_BIG) $(GO) test -count=1 -run TestTreesAsGoquery -v -timeout 20m ./parse
	CRAWLER_HTML_TREES=$(REAL_BIG) $(GO) test -count=1 -run TestNearOnTrees -v -timeout 20m ./lab

# The archive of a documentation tree, served plain, gzipped in chunks, over TLS and over HTTP/2: each
# page decoded is the file. gzip, python-warcio and warcio.js read it as far as they are there:
# WARCIO_PY names a folder with the Python module, WARCIO_JS the index.js of npm's warcio.
archive-check:
	DOCUMENT_TREE=$(REAL) WARCIO_PY=$(WARCIO_PY) WARCIO_JS=$(WARCIO_JS) $(GO) test -count=1 -run TestRealArchive -v ./cmd/crawler

# Two versions of a documentation tree, crawled and compared; a million URLs compared. Debian has
# both versions of llvm-14-doc and llvm-15-doc. Over ssh: SSHD names a server that is not on the path.
REAL_OLD = /usr/share/doc/llvm-14-doc/html
REAL_NEW = /usr/share/doc/llvm-15-doc/html

real-diff:
	DOCUMENT_TREE_OLD=$(REAL_OLD) DOCUMENT_TREE_NEW=$(REAL_NEW) $(GO) test -count=1 -run 'TestRealDiff|TestDiffOverSSH' -v ./cmd/crawler

diff-million:
	DIFF_MILLION=1 $(GO) test -count=1 -run TestDiffMillion -v ./cmd/crawler

# A crawl of a generated site is killed with SIGKILL again and again and resumed; what it
# found must be what a crawl finds that is left alone. KILL_SEED repeats a plan of kills.
KILLS      ?= 50
KILL_PAGES ?= 20000

kill:
	KILLS=$(KILLS) KILL_PAGES=$(KILL_PAGES) $(GO) test -count=1 -run 'TestKill$$' -v -timeout 30m ./cmd/crawler

# Shards of one crawl die in virtual time, over random webs from SHARDS_FROM on; planted faults must
# be found in a tenth of 200 webs each. 10,000 webs take a quarter of an hour of one core.
SHARDS      ?= 10000
SHARDS_FROM ?= 0

shards-long:
	SHARDS=$(SHARDS) SHARDS_FROM=$(SHARDS_FROM) $(GO) test -count=1 -run 'TestShards' -timeout 60m ./crawl

# A crawl on three machines, which are processes here, whose nodes are killed, cut off, stopped, added
# and taken away: what they find must be what one machine finds. Ten minutes; CLUSTER_CASES='kill -9'
# takes the cases with that in their name.
cluster-kill:
	CLUSTER_KILL=1 CLUSTER_CASES='$(CLUSTER_CASES)' $(GO) test -count=1 -run 'TestClusterKill$$' -v -timeout 60m ./cmd/crawler

# What four nodes cost more than one with as many shards, bytes a link between shards, and the shard
# of a domain that has half of all pages: two minutes.
cluster-cost:
	CLUSTER_COST=1 $(GO) test -count=1 -run 'TestClusterCost$$' -v -timeout 30m ./cmd/crawler

# A farm of hosts that misbehave in every way at once, and honest ones among them, is
# crawled for SOAK_TIME: the honest must be served throughout, each page once, memory stay
# flat, and every request be accounted for. SOAK_SEED repeats a farm, SOAK_HTTP=2 asks for
# HTTP/2, SOAK_MEMORY=256MiB is for --max-memory. Needs a machine that is not busy otherwise.
SOAK_TIME  ?= 10m

soak:
	SOAK=1 SOAK_TIME=$(SOAK_TIME) SOAK_MEMORY=$(SOAK_MEMORY) $(GO) test -count=1 -run 'TestSoak$$' -v -timeout 60m ./cmd/crawler

# Trouble that passes: hosts that refuse, a network or a resolver that is away, error pages.
# In virtual time, and then in real time by the program as it is shipped, with real sockets
# and, in namespaces of their own where the machine permits it (Linux), a network that goes
# away and a resolver that fails: seven minutes.
trouble:
	$(GO) test -count=1 -run 'Outage|Trouble|OrdinaryDays|DeadHosts|Pace|Delay|Flapping|GivenUp' ./frontier ./crawl
	TROUBLE=1 $(GO) test -count=1 -run 'TestTrouble$$' -v -parallel 20 -timeout 20m ./cmd/crawler

# Peak memory over the number of pages and of discovered URLs (Linux), and what
# durability costs in pages a second: tables of figures and goals, two minutes each.
memory:
	MEMORY=1 $(GO) test -count=1 -run 'TestMemory$$|TestMaxMemoryBesideHangingHosts|TestHeavyPages' -v -timeout 60m ./cmd/crawler

cost:
	COST=1 $(GO) test -count=1 -run 'TestCost$$' -v -timeout 30m ./cmd/crawler

# Bytes that a durable crawl writes for a page of 18 KB beyond its records, in virtual time: one host
# at 250 ms, and 100 and 1,000 hosts at 100 ms.
written:
	WRITTEN=1 $(GO) test -count=1 -run 'TestWritten$$' -v -timeout 10m ./crawl
