package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/store/postgres"
)

func TestManyProcessesMayStartAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	secrets := make([][32]byte, 8)
	var wg sync.WaitGroup
	for i := range secrets {
		wg.Go(func() {
			db, err := postgres.Open(t.Context(), url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			if secrets[i], err = db.Secret(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range secrets {
		if s != secrets[0] || s == [32]byte{} {
			t.Errorf("keys differ or are empty: %x", secrets)
		}
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	open(t, url, nil)
	run(t, connect(t, url), "UPDATE plimsoll.store SET version = 1000")
	_, err := postgres.Open(t.Context(), url, nil)
	if !errors.Is(err, plimsoll.ErrUnsupported) || !strings.Contains(err.Error(), "1000") || plimsoll.HintOf(err) == "" {
		t.Errorf("got %v, hint %q", err, plimsoll.HintOf(err))
	}
}

func TestAStoreOfTheFirstSchemaIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	if err := write(t.Context(), open(t, url, nil), "old"); err != nil {
		t.Fatal(err)
	}
	run(t, connect(t, url), "DROP FUNCTION plimsoll.count_objects, plimsoll.count_chunks, plimsoll.count_decisions, plimsoll.count_replaced, plimsoll.slot CASCADE",
		"DROP TABLE plimsoll.total", "ALTER TABLE plimsoll.object DROP COLUMN damaged", "ALTER TABLE plimsoll.chunk DROP COLUMN damaged",
		"ALTER TABLE plimsoll.decision DROP COLUMN kind, DROP COLUMN conversation",
		"ALTER TABLE plimsoll.account DROP COLUMN estimated, DROP COLUMN cuts, DROP COLUMN breaks, DROP COLUMN priced, DROP COLUMN paid, DROP COLUMN uncut, DROP COLUMN summaries",
		"UPDATE plimsoll.store SET version = 1")
	db := open(t, url, nil)
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("the check found %q, %v", broken, err)
	}
	if err := whole(t.Context(), db, "old"); err != nil {
		t.Error(err)
	}
	if err := db.MarkDamaged(t.Context(), tenant, "old", nil); err != nil {
		t.Error(err)
	}
}

func TestOnlyUTF8IsTaken(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	name := "latin_" + url[strings.LastIndex(url, "/")+1:strings.Index(url, "?")]
	admin := connect(t, url)
	run(t, admin, "CREATE DATABASE "+name+" ENCODING 'LATIN1' TEMPLATE template0")
	t.Cleanup(func() { admin.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)") })
	_, err := postgres.Open(t.Context(), url[:strings.LastIndex(url, "/")+1]+name+"?sslmode=disable", nil)
	if !errors.Is(err, plimsoll.ErrUnsupported) || !strings.Contains(err.Error(), "LATIN1") {
		t.Errorf("got %v", err)
	}
}

func TestAUserWithLittleRights(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	admin := connect(t, url)
	role := "r" + url[strings.LastIndex(url, "/")+1:strings.Index(url, "?")]
	run(t, admin, "CREATE ROLE "+role+" LOGIN")
	t.Cleanup(func() {
		admin.Exec(context.Background(), "DROP OWNED BY "+role)
		admin.Exec(context.Background(), "DROP ROLE "+role)
	})
	poor := strings.Replace(url, pgtest.Role+"@", role+"@", 1)
	_, err := postgres.Open(t.Context(), poor, nil)
	unavailable(t, err, "GRANT CREATE")

	run(t, admin, "CREATE SCHEMA plimsoll AUTHORIZATION "+role)
	db := open(t, poor, nil)
	if err := write(t.Context(), db, "one"); err != nil {
		t.Error(err)
	}
	everything(t, db)
}

func TestCommitsAreDurableUnlessTheURLSaysOtherwise(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	name := url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")]
	run(t, connect(t, url), "ALTER DATABASE "+name+" SET synchronous_commit = off",
		"CREATE TABLE seen (setting text)",
		`CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN INSERT INTO public.seen VALUES (current_setting(''synchronous_commit'')); RETURN NEW; END'`)
	open(t, url, nil)
	run(t, connect(t, url), "CREATE TRIGGER look BEFORE INSERT ON plimsoll.value FOR EACH ROW EXECUTE FUNCTION public.look()")
	for _, u := range []string{url, with(url, "synchronous_commit=off")} {
		if err := open(t, u, nil).PutValue(t.Context(), "name", nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := ask[string](t, connect(t, url), "SELECT string_agg(setting, ' ') FROM seen"); got != "on off" {
		t.Errorf("commits were %s", got)
	}
}

func TestPasswordsAreNotInErrors(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t)
	host := server[strings.Index(server, "@")+1 : strings.LastIndex(server, "/")]
	for name, url := range map[string]string{
		"a wrong password":              "postgres://" + pgtest.Guarded + ":hunter2@" + host + "/postgres?sslmode=disable",
		"a password as a setting":       "postgres://" + pgtest.Guarded + "@" + host + "/postgres?sslmode=disable&password=hunter2",
		"a database that is not there":  "postgres://" + pgtest.Role + ":hunter2@" + host + "/nowhere?sslmode=disable",
		"nobody listening":              "postgres://me:hunter2@127.0.0.1:1/db",
		"no such host":                  "postgres://me:hunter2@host.invalid/db",
		"a port that is none":           "postgres://me:hunter2@host:port/db",
		"a broken escape":               "postgres://me:hunter2%zz@host/db",
		"a slash in the password":       "postgres://me:hunter2/x@host:5432/db",
		"a slash behind digits":         "postgres://me:12/hunter2@host:5432/db",
		"a question mark in it":         "postgres://me:hunter2?x@host:5432/db",
		"an at sign in it":              "postgres://me:x@hunter2@host:5432/db",
		"a bad setting":                 "postgres://me:hunter2@host/db?sslmode=hunter2",
		"a bad pool size":               "postgres://me:hunter2@host/db?pool_max_conns=many",
		"keywords":                      "host=127.0.0.1 port=1 password=hunter2",
		"broken keywords":               "host=127.0.0.1 password='hunter2",
		"a certificate that is missing": "postgres://me:hunter2@host/db?sslmode=verify-full&sslrootcert=missing.pem",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := postgres.Open(t.Context(), url, &postgres.Options{Wait: time.Second})
			if err == nil {
				db.Close()
				t.Fatal("it opened")
			}
			all := fmt.Sprintf("%v %+v %#v %s", err, err, err, plimsoll.HintOf(err))
			for e := err; e != nil; e = errors.Unwrap(e) {
				all += fmt.Sprintf("%v %#v", e, e)
			}
			if strings.Contains(all, "hunter2") {
				t.Errorf("the password is in %s", all)
			}
			if plimsoll.HintOf(err) == "" || plimsoll.CodeOf(err) == plimsoll.CodeInternal {
				t.Errorf("%v has code %s and hint %q", err, plimsoll.CodeOf(err), plimsoll.HintOf(err))
			}
		})
	}
}

func TestAMistakeInTheURLIsNamed(t *testing.T) {
	t.Parallel()
	_, err := postgres.Open(t.Context(), "postgres://me:hunter2@host/db?sslmode=verify-full&sslrootcert=missing.pem", nil)
	if err == nil || !strings.Contains(err.Error(), "missing.pem") {
		t.Errorf("got %v", err)
	}
}
