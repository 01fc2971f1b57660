package pgtest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Cluster is a running server.
type Cluster struct {
	// Port on 127.0.0.1.
	Port int
	// Data is the folder with its files.
	Data string

	bin   string
	dir   string
	user  account
	guard io.Closer
}

// Start makes a cluster and starts its server.
func Start() (*Cluster, error) {
	c, err := place()
	if err != nil {
		return nil, err
	}
	if err := c.create(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) create() error {
	if _, err := c.run("initdb", "-D", c.Data, "-U", Role, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"); err != nil {
		return err
	}
	if err := c.configure(); err != nil {
		return err
	}
	if err := c.Resume(); err != nil {
		return err
	}
	return c.Exec(fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", Guarded, Password))
}

// place finds the programs and makes a folder that the server's user can use.
func place() (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	user, err := serviceUser()
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, parent := range slices.Compact([]string{os.TempDir(), "/tmp", "/var/tmp"}) {
		c := &Cluster{Port: port, bin: bin, user: user}
		if c.dir, err = os.MkdirTemp(parent, "plimsoll-pg-"); err != nil {
			failed = append(failed, err)
			continue
		}
		c.Data = filepath.Join(c.dir, "data")
		if err = errors.Join(user.own(c.dir), c.watch()); err == nil {
			return c, nil
		}
		failed = append(failed, err)
		os.RemoveAll(c.dir)
	}
	return nil, errors.Join(failed...)
}

// watch starts the process that ends the server when this process is gone.
func (c *Cluster) watch() error {
	if _, err := c.command("/bin/sh", "-c", `test -w "$0"`, c.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("the server's user cannot write to %s: %w", c.dir, err)
	}
	cmd := c.command("/bin/sh", "-c", `cat >/dev/null; "$0/pg_ctl" stop -D "$1/data" -m immediate -t 20; rm -rf "$1"`, c.bin, c.dir)
	cmd.Dir = "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.guard = closer(func() error {
		in.Close()
		return cmd.Wait()
	})
	return nil
}

type closer func() error

func (c closer) Close() error { return c() }

// Close ends the server and deletes its files.
func (c *Cluster) Close() {
	// The exit status is that of deleting; there is no caller to tell.
	_ = c.guard.Close()
}

func (c *Cluster) configure() error {
	conf := fmt.Sprintf(`
listen_addresses = '127.0.0.1'
port = %d
unix_socket_directories = '%s'
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 60
wal_level = replica
max_wal_senders = 4
logging_collector = off
`, c.Port, c.dir)
	hba := fmt.Sprintf(`
local all all trust
host all %s 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
`, Guarded)
	if err := c.write("postgresql.auto.conf", conf); err != nil {
		return err
	}
	return c.write("pg_hba.conf", hba)
}

func (c *Cluster) write(name, text string) error {
	file := filepath.Join(c.Data, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	return c.user.own(file)
}

// Resume starts the server after Stop.
func (c *Cluster) Resume() error {
	_, err := c.run("pg_ctl", "start", "-D", c.Data, "-l", filepath.Join(c.dir, "log"), "-w", "-t", "600")
	return err
}

// Stop stops the server; mode is "fast" or, as if it had crashed, "immediate".
func (c *Cluster) Stop(mode string) error {
	_, err := c.run("pg_ctl", "stop", "-D", c.Data, "-m", mode, "-w", "-t", "600")
	return err
}

// Restart crashes the server and starts it again.
func (c *Cluster) Restart() error {
	return errors.Join(c.Stop("immediate"), c.Resume())
}

// Standby starts a second server that follows this one and is read-only until
// Promote.
func (c *Cluster) Standby() (*Cluster, error) {
	s, err := place()
	if err != nil {
		return nil, err
	}
	_, err = s.run("pg_basebackup", "-D", s.Data, "-R", "-X", "stream", "-c", "fast", "--no-sync",
		"-h", "127.0.0.1", "-p", strconv.Itoa(c.Port), "-U", Role)
	if err == nil {
		err = s.append("postgresql.auto.conf", fmt.Sprintf("port = %d\nunix_socket_directories = '%s'\n", s.Port, s.dir))
	}
	if err == nil {
		err = s.Resume()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (c *Cluster) append(name, text string) error {
	old, err := os.ReadFile(filepath.Join(c.Data, name))
	if err != nil {
		return err
	}
	return c.write(name, string(old)+text)
}

// Promote makes a standby the primary.
func (c *Cluster) Promote() error {
	_, err := c.run("pg_ctl", "promote", "-D", c.Data, "-w", "-t", "600")
	return err
}

// Log returns what the server wrote.
func (c *Cluster) Log() string {
	text, _ := os.ReadFile(filepath.Join(c.dir, "log"))
	return string(text)
}

func (c *Cluster) run(name string, args ...string) (string, error) {
	out, err := c.command(filepath.Join(c.bin, name), args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s%s", name, err, out, c.Log())
	}
	return string(out), nil
}

// command makes a command that runs as the server's user, away from the test's
// terminal and with nothing of its environment.
func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LC_ALL=C", "TZ=UTC"}
	c.user.become(cmd)
	return cmd
}

// binaries returns the folder with the server's programs: the one in the path, or
// the newest that Debian installed.
func binaries() (string, error) {
	if name, err := exec.LookPath("initdb"); err == nil {
		if name, err = filepath.EvalSymlinks(name); err == nil {
			return filepath.Dir(name), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("no initdb in the path nor under /usr/lib/postgresql; on Debian: apt-get install postgresql")
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

func version(name string) int {
	n, _ := strconv.Atoi(strings.Split(name, "/")[4])
	return n
}

// freePort returns a port that no system hands out by itself: one of those could be
// taken while the server is being made or restarted.
func freePort() (port int, err error) {
	for range 100 {
		port = 15_000 + rand.IntN(15_000)
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}
