package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/store/sqlite"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(dir, "store.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.PutValue(ctx, "greeting", []byte("hello")); err != nil {
		log.Fatal(err)
	}
	value, err := db.Value(ctx, "greeting")
	fmt.Println(string(value), err)
	// Output: hello <nil>
}
