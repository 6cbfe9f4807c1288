package ledger

import "crawler/store"

// OfDir is disk.Of, which these tests cannot import: it imports this package. TestMain sets it.
var OfDir func(*store.Dir) Store
