//go:build lite

package clustercmd

import (
	"github.com/nats-io/nats.go"

	"crawler/cmd/crawler/internal/shell"
)

const embedded = false

// startBroker says that there is none: this program was built without.
func startBroker(brokerConfig) (nats.InProcessConnProvider, string, func(), error) {
	return nil, "", nil, shell.UsageError("run a NATS server with JetStream and name it: --broker nats://HOST:4222; or use the full program",
		"this program was built without its own broker (-tags lite)")
}
