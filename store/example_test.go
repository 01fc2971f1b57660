package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// open opens a store in a new directory.
func open(ctx context.Context) (*store.Store, func()) {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	backend, err := sqlite.Open(ctx, filepath.Join(dir, "store.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	s, err := store.New(ctx, backend, nil)
	if err != nil {
		log.Fatal(err)
	}
	return s, func() {
		if err := errors.Join(s.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

func ExampleTenant_PutReader() {
	ctx := context.Background()
	s, done := open(ctx)
	defer done()
	tenant := s.Tenant("alice")
	ref, err := tenant.PutReader(ctx, strings.NewReader("first\nsecond\nthird"), "read_file")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(ref.ID), ref.Bytes, ref.Lines)

	r, err := tenant.Open(ctx, ref.ID)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for line, err := range r.Lines(ctx, 1) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s\n", line.Number+1, line.Text)
	}

	_, err = s.Tenant("bob").Open(ctx, ref.ID)
	fmt.Println(errors.Is(err, store.ErrGone))
	// Output:
	// 26 18 3
	// 2 second
	// 3 third
	// true
}

func ExampleTenant_Put() {
	ctx := context.Background()
	s, done := open(ctx)
	defer done()
	tenant := s.Tenant("alice")
	ref, err := tenant.Put(ctx, plimsoll.ListOf[plimsoll.Part](
		plimsoll.Text{Text: "The page looks like this:"},
		plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "iVBORw0KGgo="},
	))
	if err != nil {
		log.Fatal(err)
	}
	r, err := tenant.Open(ctx, ref.ID)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)

	content, err := tenant.Content(ctx, ref.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(content.At(1).(plimsoll.Media).Data)
	// Output:
	// The page looks like this:
	// [image]
	// iVBORw0KGgo=
}

func ExampleStore_GC() {
	ctx := context.Background()
	s, done := open(ctx)
	defer done()
	tenant := s.Tenant("alice")
	for _, text := range []string{"needed", "not needed"} {
		ref, err := tenant.PutReader(ctx, strings.NewReader(text), "")
		if err != nil {
			log.Fatal(err)
		}
		if text == "needed" {
			err = tenant.PutDecision(ctx, store.Decision{Key: plimsoll.Digest{1}, Refs: []string{ref.ID}})
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	report, err := s.GC(ctx, store.Policy{Unreferenced: true, Grace: -1}, true)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d would be collected\n", report.Unreferenced.Objects, report.Before.Objects)
	// Output: 1 of 2 would be collected
}
