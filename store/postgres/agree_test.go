package postgres_test

import (
	"flag"
	"testing"

	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/postgres"
)

var (
	agreeHistories = flag.Int("agree.histories", 2, "how many histories of eight processes to check")
	agreeSeed      = flag.Uint64("agree.seed", 1, "the seed of the first history")
)

func TestProcessesThatShareADatabaseAgree(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	storetest.Agree(t, func(t *testing.T) store.Backend {
		b, err := postgres.Open(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}, *agreeHistories, *agreeSeed)
}
