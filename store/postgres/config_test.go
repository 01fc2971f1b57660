package postgres

import (
	"fmt"
	"strings"
	"testing"
)

// Whatever stands around a password, neither errors about the URL show it nor
// anything that errors of the connection could.
func FuzzURL(f *testing.F) {
	f.Add("me", "", "", "host/db?sslmode=no")
	f.Add("me", "x@", ":abc", "host:port/db")
	f.Add("me", "12/", "?x", "host/db")
	f.Add("me", "12/?x=", "&y=z", "host/db")
	f.Add("me", "%zz", "", "host")
	f.Add("", "a?sslrootcert=", "", "host/db?sslmode=verify-full")
	f.Add("me", "", "", "host/db?sslmode=verify-full&sslrootcert=missing.pem")
	f.Add("me", ":", "#", "[::1/db")
	f.Fuzz(func(t *testing.T, user, before, after, rest string) {
		const secret = "s3cr3t"
		if strings.Contains(user+rest, secret) || strings.Contains(user+rest, "file=") {
			t.Skip("shows it outside of the password, or names files to read")
		}
		config, err := (&backend{}).configure("postgres://" + user + ":" + before + secret + after + "@" + rest)
		shown := fmt.Sprint(err)
		if err == nil {
			c := config.ConnConfig
			shown = fmt.Sprint(c.Host, c.Port, c.Database, c.User, c.RuntimeParams)
			for _, other := range c.Fallbacks {
				shown += other.Host
			}
		}
		if strings.Contains(shown, secret) {
			t.Errorf("the password is in %q", shown)
		}
	})
}
