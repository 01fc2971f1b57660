package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

func TestAStoreWhoseBackendIsAwayServesAsSoonAsItIsThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path, tries := filepath.Join(t.TempDir(), "store.db"), 0
		s, err := store.Later(func(ctx context.Context) (store.Backend, error) {
			if tries++; tries < 5 {
				return nil, store.ErrUnavailable
			}
			return sqlite.Open(ctx, path, nil)
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		content := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "hello"})
		early := s.Tenant("anna")
		if early.Key() == s.Tenant("bert").Key() || early.Key() != s.Tenant("anna").Key() {
			t.Error("tenants are not kept apart meanwhile")
		}
		_, err = early.Put(t.Context(), content)
		_, listed := s.Tenants(t.Context())
		if !errors.Is(err, store.ErrUnavailable) || !errors.Is(listed, store.ErrUnavailable) {
			t.Errorf("meanwhile: %v, %v", err, listed)
		}
		time.Sleep(time.Minute)
		ref, err := s.Tenant("anna").Put(t.Context(), content)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Tenant("anna").Content(t.Context(), ref.ID); err != nil || got.Len() != 1 {
			t.Errorf("got %v, %v", got, err)
		}
		if _, err := early.Put(t.Context(), content); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("a tenant without a secret has written: %v", err)
		}
	})
}

func TestAStoreThatNeverOpensCanBeClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Later(func(context.Context) (store.Backend, error) { return nil, store.ErrUnavailable }, nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
