package store_test

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// onDisk returns a store as programs use it.
func onDisk(t testing.TB, path string) *store.Store {
	t.Helper()
	b, err := sqlite.Open(t.Context(), path, nil)
	must(t, err)
	s, err := store.New(t.Context(), b, nil)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func TestO12_ContentSurvivesInAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	first := onDisk(t, path).Tenant("alice")
	long := prose(1, 3<<20)
	kept, err := first.Put(t.Context(), mixed)
	must(t, err)
	stream, err := first.PutReader(t.Context(), strings.NewReader(long), "log")
	must(t, err)

	second := onDisk(t, path).Tenant("alice")
	got, err := second.Content(t.Context(), kept.ID)
	must(t, err)
	if diff := cmp.Diff(mixed.Slice(), got.Slice(), samePart); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got, err := readAll(t.Context(), second, stream.ID); err != nil || got != long {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	lines := strings.Split(long, "\n")
	r, err := second.Open(t.Context(), stream.ID)
	must(t, err)
	defer r.Close()
	for n := int64(0); n < stream.Lines; n += stream.Lines / 17 {
		for l, err := range r.Lines(t.Context(), n) {
			if err != nil || l.Number != n || string(l.Text) != lines[n] {
				t.Errorf("line %d: got %d, %q, %v, want %q", n, l.Number, l.Text, err, lines[n])
			}
			break
		}
	}
}

func TestCollectingWorksOnAFile(t *testing.T) {
	t.Parallel()
	s := onDisk(t, filepath.Join(t.TempDir(), "store.db"))
	tenant := s.Tenant("alice")
	var ids []string
	for i := range 20 {
		ref, err := tenant.Put(t.Context(), text(prose(uint64(i), 20_000)))
		must(t, err)
		ids = append(ids, ref.ID)
	}
	n, err := tenant.Delete(t.Context(), ids[:5]...)
	if n != 5 || err != nil {
		t.Fatalf("delete: got %d, %v", n, err)
	}
	swept, err := s.Sweep(t.Context())
	if err != nil || swept.Chunks != 5 {
		t.Errorf("sweep: got %+v, %v", swept, err)
	}
	before, err := s.Stats(t.Context())
	must(t, err)
	report, err := s.GC(t.Context(), store.Policy{MaxBytes: before.Compressed / 3, Grace: -1}, false)
	must(t, err)
	if report.After.Objects != 5 || report.Evicted.Objects != 10 || report.After.Compressed > before.Compressed/3 {
		t.Errorf("by size: got %+v", report)
	}
	findings, err := s.Check(t.Context())
	if len(findings) > 0 || err != nil {
		t.Errorf("check: %v, %v", findings, err)
	}
}

// What Put returned can be read while others delete and sweep what shares chunks with
// it.
func TestO05_RefsResolveWhileOthersSweep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	const rounds = 25
	base := prose(1, 200_000)
	var writers, sweepers sync.WaitGroup
	stop := make(chan struct{})
	for w := range 3 {
		s := onDisk(t, path)
		writers.Go(func() {
			tenant := s.Tenant("alice")
			for i := range rounds {
				content := base[i*1000:] + fmt.Sprint("\nwriter ", w, " round ", i)
				ref, err := tenant.Put(t.Context(), text(content))
				if err != nil {
					t.Errorf("put: %v", err)
					return
				}
				if got, err := readAll(t.Context(), tenant, ref.ID); err != nil || got != content {
					t.Errorf("writer %d, round %d: got %d bytes, %v", w, i, len(got), err)
				}
			}
		})
	}
	s := onDisk(t, path)
	sweepers.Go(func() {
		tenant := s.Tenant("alice")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			ref, err := tenant.Put(t.Context(), text(base[i%rounds*1000:]+"\nto be deleted"))
			if err == nil {
				_, err = tenant.Delete(t.Context(), ref.ID)
			}
			if err == nil {
				_, err = s.Sweep(t.Context())
			}
			if err != nil {
				t.Errorf("sweep: %v", err)
				return
			}
		}
	})
	writers.Wait()
	close(stop)
	sweepers.Wait()
	findings, err := s.Check(t.Context())
	if len(findings) > 0 || err != nil {
		t.Errorf("check: %v, %v", findings, err)
	}
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			tenant := onDisk(b, filepath.Join(b.TempDir(), "store.db")).Tenant("alice")
			content := []byte(prose(1, size))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				// Every chunk is new.
				for at := 0; at < size; at += 8 << 10 {
					copy(content[at:], fmt.Sprintf("%08d", n))
				}
				_, err := tenant.Put(b.Context(), text(string(content)))
				must(b, err)
			}
		})
	}
}

// BenchmarkPutAgain stores what is there, as every turn of a conversation does.
func BenchmarkPutAgain(b *testing.B) {
	tenant := onDisk(b, filepath.Join(b.TempDir(), "store.db")).Tenant("alice")
	content := text(prose(1, 1<<20))
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		_, err := tenant.Put(b.Context(), content)
		must(b, err)
	}
}

func BenchmarkGet(b *testing.B) {
	tenant := onDisk(b, filepath.Join(b.TempDir(), "store.db")).Tenant("alice")
	ref, err := tenant.Put(b.Context(), text(prose(1, 1<<20)))
	must(b, err)
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		r, err := tenant.Open(b.Context(), ref.ID)
		must(b, err)
		_, err = io.Copy(io.Discard, r)
		must(b, err)
		must(b, r.Close())
	}
}

// BenchmarkLines reads ten lines at the beginning, in the middle and at the end of a
// long text: it must take the same time everywhere.
func BenchmarkLines(b *testing.B) {
	tenant := onDisk(b, filepath.Join(b.TempDir(), "store.db")).Tenant("alice")
	ref, err := tenant.PutReader(b.Context(), io.LimitReader(&logReader{}, 256<<20), "")
	must(b, err)
	for _, percent := range []int64{0, 50, 99} {
		b.Run(fmt.Sprint("at ", percent, "%"), func(b *testing.B) {
			b.ReportAllocs()
			for n := int64(0); b.Loop(); n++ {
				readTen(b, tenant, ref.ID, ref.Lines*percent/100+n%1000)
			}
		})
	}
}

func readTen(b *testing.B, tenant *store.Tenant, id string, from int64) {
	b.Helper()
	r, err := tenant.Open(b.Context(), id)
	must(b, err)
	defer r.Close()
	n := 0
	for _, err := range r.Lines(b.Context(), from) {
		must(b, err)
		if n++; n == 10 {
			break
		}
	}
}

func BenchmarkScan(b *testing.B) {
	tenant := onDisk(b, filepath.Join(b.TempDir(), "store.db")).Tenant("alice")
	const size = 64 << 20
	ref, err := tenant.PutReader(b.Context(), io.LimitReader(&logReader{}, size), "")
	must(b, err)
	r, err := tenant.Open(b.Context(), ref.ID)
	must(b, err)
	defer r.Close()
	b.Run("lines", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for _, err := range r.Lines(b.Context(), 0) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("blocks", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for _, err := range r.Blocks(b.Context(), 0) {
				must(b, err)
			}
		}
	})
}
