package store_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
)

// What the other tests show is worth as much as their backend is like a real one.
func TestTheBackendOfTheseTestsKeepsItsPromises(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Backend { return newMemory() })
}
