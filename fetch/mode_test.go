package fetch

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const secondMode = "TestOverNetHTTP"

// inMode changes cfg for the client that the test is run with.
func inMode(t testing.TB, cfg Config) Config {
	if strings.HasPrefix(t.Name(), secondMode+"/") {
		cfg.HTTP2 = true
	}
	return cfg
}

// The tests of exchanges run over connections of our own, which the zero Config has, and here
// once more over net/http's client.
func TestOverNetHTTP(t *testing.T) {
	for name, test := range everyExchange() {
		if testing.Short() && slices.Contains(decoding, name) {
			continue
		}
		t.Run(name, test)
	}
}

// decoding are those of them that take long under the race detector, and are about what is done
// with a body when it has come, by the same code whatever brought it.
var decoding = []string{"Bomb", "BombInLowerLayer", "NestedBombs", "MaxBodyDecoded", "Decode"}

func everyExchange() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"HostsKeepTheirConnections":            TestHostsKeepTheirConnections,
		"HeaderTimeoutIsLifted":                TestHeaderTimeoutIsLifted,
		"AttemptsAreBounded":                   TestAttemptsAreBounded,
		"RFC9110_4_3_4_Certificates":           TestRFC9110_4_3_4_Certificates,
		"Get":                                  TestGet,
		"RequestTarget":                        TestRequestTarget,
		"RequestHeader":                        TestRequestHeader,
		"RedirectIsNotFollowed":                TestRedirectIsNotFollowed,
		"LocationOnlyOnRedirects":              TestLocationOnlyOnRedirects,
		"ErrorPagesAreRead":                    TestErrorPagesAreRead,
		"NoBody":                               TestNoBody,
		"MaxBody":                              TestMaxBody,
		"BodyLimit":                            TestBodyLimit,
		"MediaTypeIsSniffed":                   TestMediaTypeIsSniffed,
		"RetryAfter":                           TestRetryAfter,
		"ConnectionIsReused":                   TestConnectionIsReused,
		"IdleConnectionsAreBounded":            TestIdleConnectionsAreBounded,
		"HTTP2":                                TestHTTP2,
		"HTTP1OverTLS":                         TestHTTP1OverTLS,
		"BuffersArePooled":                     TestBuffersArePooled,
		"ReleaseTwice":                         TestReleaseTwice,
		"ConcurrentGets":                       TestConcurrentGets,
		"TimesAreMonotonic":                    TestTimesAreMonotonic,
		"Jar":                                  TestJar,
		"Decode":                               TestDecode,
		"DecodeHeaderForms":                    TestDecodeHeaderForms,
		"DecodeErrors":                         TestDecodeErrors,
		"MaxBodyDecoded":                       TestMaxBodyDecoded,
		"Bomb":                                 TestBomb,
		"NestedBombs":                          TestNestedBombs,
		"BombInLowerLayer":                     TestBombInLowerLayer,
		"ZstdWindow":                           TestZstdWindow,
		"ReaderWithoutProgress":                TestReaderWithoutProgress,
		"Resolve":                              TestResolve,
		"Locate":                               TestLocate,
		"NobodyLocatesBehindAProxy":            TestNobodyLocatesBehindAProxy,
		"FailedLookupStandsForTheDials":        TestFailedLookupStandsForTheDials,
		"HTTPProxy":                            TestHTTPProxy,
		"SOCKS5Proxy":                          TestSOCKS5Proxy,
		"Reasons":                              TestReasons,
		"ClosedClient":                         TestClosedClient,
		"DialTimeout":                          TestDialTimeout,
		"TryBriefly":                           TestTryBriefly,
		"TryBrieflyToLocate":                   TestTryBrieflyToLocate,
		"Exchange":                             TestExchange,
		"FirstByte":                            TestFirstByte,
		"ExchangeOfABrokenBody":                TestExchangeOfABrokenBody,
		"ExchangeThroughProxy":                 TestExchangeThroughProxy,
		"RequestHasCookies":                    TestRequestHasCookies,
		"RobotsOfAWrappedClient":               TestRobotsOfAWrappedClient,
		"RobotsSource":                         TestRobotsSource,
		"RobotsEach":                           TestRobotsEach,
		"RobotsEachIsOfWhoAsked":               TestRobotsEachIsOfWhoAsked,
		"RFC3986_7_4_SpellingsOfThisMachine":   TestRFC3986_7_4_SpellingsOfThisMachine,
		"SeedsAreAllowed":                      TestSeedsAreAllowed,
		"SeedsOfIPv6":                          TestSeedsOfIPv6,
		"AllowedNets":                          TestAllowedNets,
		"ResolvedAddressesAreAllowed":          TestResolvedAddressesAreAllowed,
		"DNSRebinding":                         TestDNSRebinding,
		"RFC8305_OnlyAllowedAddressesAreTried": TestRFC8305_OnlyAllowedAddressesAreTried,
		"NamesAreJudgedByTheirAddresses":       TestNamesAreJudgedByTheirAddresses,
		"RFC9309_2_3_1_2_RobotsRedirectInside": TestRFC9309_2_3_1_2_RobotsRedirectInside,
		"GuardWithProxy":                       TestGuardWithProxy,
		"GuardWithSOCKSProxy":                  TestGuardWithSOCKSProxy,
		"Ports":                                TestPorts,
		"HostileAnswers":                       TestHostileAnswers,
		"RFC9112_9_2_AnswerNobodyAskedFor":     TestRFC9112_9_2_AnswerNobodyAskedFor,
		"HostileHTTP2":                         TestHostileHTTP2,
		"MinRate":                              TestMinRate,
		"MinRateIsTold":                        TestMinRateIsTold,
		"RFC9309_2_3_1_4_SlowRobots":           TestRFC9309_2_3_1_4_SlowRobots,
		"PrepareSignsPerHost":                  TestPrepareSignsPerHost,
		"PrepareRefusals":                      TestPrepareRefusals,
		"PrepareError":                         TestPrepareError,
		"PrepareComesAfterTheGuardsPorts":      TestPrepareComesAfterTheGuardsPorts,
		"PrepareURL":                           TestPrepareURL,
		"OriginHeaders":                        TestOriginHeaders,
		"OriginHeadersAreShared":               TestOriginHeadersAreShared,
		"JarOfPrefixedCookies":                 TestJarOfPrefixedCookies,
		"RobotsStatus":                         TestRobotsStatus,
		"RFC9309_2_3_1_RobotsThatArePages":     TestRFC9309_2_3_1_RobotsThatArePages,
		"RobotsUnreachable":                    TestRobotsUnreachable,
		"RobotsRedirects":                      TestRobotsRedirects,
		"RobotsSize":                           TestRobotsSize,
		"RFC9309_2_3_1_5_BinaryRobots":         TestRFC9309_2_3_1_5_BinaryRobots,
		"RobotsCompressed":                     TestRobotsCompressed,
		"RobotsIgnoresPageLimits":              TestRobotsIgnoresPageLimits,
		"RobotsToken":                          TestRobotsToken,
		"RobotsCache":                          TestRobotsCache,
		"RobotsAsksAgainAfterErrors":           TestRobotsAsksAgainAfterErrors,
		"RobotsSharesFetches":                  TestRobotsSharesFetches,
		"RobotsCanceled":                       TestRobotsCanceled,
		"RobotsCacheIsBounded":                 TestRobotsCacheIsBounded,
		"RulesFor":                             TestRulesFor,
		"Timeout":                              TestTimeout,
		"HeaderTimeout":                        TestHeaderTimeout,
		"HandshakeTimeout":                     TestHandshakeTimeout,
		"Canceled":                             TestCanceled,
		"CloseLeavesNoGoroutine":               TestCloseLeavesNoGoroutine,
		"IdleConnectionsPerHost":               TestIdleConnectionsPerHost,
		"IdleTimeout":                          TestIdleTimeout,
		"StaleConnection":                      TestStaleConnection,
	}
}

// Whatever test makes a client is in the table.
func TestEveryExchangeIsInBothModes(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	helpers := []string{"newClient", "inMode", "fetchRules"}
	listed := everyExchange()
	for _, file := range files {
		f, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Test") {
				continue
			}
			makes := false
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				makes = makes || ok && slices.Contains(helpers, id.Name)
				return true
			})
			name := strings.TrimPrefix(fn.Name.Name, "Test")
			if _, ok := listed[name]; makes != ok {
				t.Errorf("%s makes a client: %v; is in the table: %v", fn.Name.Name, makes, ok)
			}
			delete(listed, name)
		}
	}
	if len(listed) > 0 {
		t.Errorf("no such tests: %v", slices.Collect(maps.Keys(listed)))
	}
}
