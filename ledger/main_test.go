package ledger_test

import (
	"os"
	"testing"

	"crawler/ledger"
	"crawler/ledger/disk"
)

// TestMain lets the tests inside the package use the Store that crawls use.
func TestMain(m *testing.M) {
	ledger.OfDir = disk.Of
	os.Exit(m.Run())
}
