-- Times are microseconds since 1970. A sum is the CRC-32C of what a row says, with
-- the names by which it is found: a flipped bit makes it ErrCorrupt.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL,
    sum   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Counters, so that statistics cost the same however much is stored.
CREATE TABLE totals (
    tenant     BLOB PRIMARY KEY,
    objects    INTEGER NOT NULL DEFAULT 0,
    chunks     INTEGER NOT NULL DEFAULT 0,
    decisions  INTEGER NOT NULL DEFAULT 0,
    bytes      INTEGER NOT NULL DEFAULT 0,
    compressed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TRIGGER totals_end AFTER UPDATE ON totals
WHEN NEW.objects = 0 AND NEW.chunks = 0 AND NEW.decisions = 0
BEGIN
    DELETE FROM totals WHERE tenant = NEW.tenant;
END;

-- Chunks without their content, which stands apart so that marking one as used does
-- not write it again, and so that it can be erased (see sealed.go). An orphan is named
-- by no extent.
CREATE TABLE chunks (
    row    INTEGER PRIMARY KEY,
    tenant BLOB NOT NULL,
    id     BLOB NOT NULL,
    size   INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    used   INTEGER NOT NULL,
    orphan INTEGER NOT NULL DEFAULT 1,
    sum    INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE INDEX chunks_orphans ON chunks (used) WHERE orphan = 1;

CREATE TABLE contents (
    row  INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    data BLOB NOT NULL
) STRICT;

CREATE TRIGGER chunks_added AFTER INSERT ON chunks
BEGIN
    INSERT INTO totals (tenant, chunks, compressed) VALUES (NEW.tenant, 1, NEW.stored)
    ON CONFLICT (tenant) DO UPDATE SET chunks = chunks + 1, compressed = compressed + NEW.stored;
END;

CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks
BEGIN
    UPDATE totals SET chunks = chunks - 1, compressed = compressed - OLD.stored WHERE tenant = OLD.tenant;
END;

-- A pinned object is one that a decision refers to.
CREATE TABLE objects (
    row     INTEGER PRIMARY KEY,
    tenant  BLOB NOT NULL,
    id      TEXT NOT NULL,
    kind    TEXT NOT NULL,
    bytes   INTEGER NOT NULL,
    lines   INTEGER NOT NULL,
    stored  INTEGER NOT NULL,
    note    TEXT NOT NULL,
    created INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    pinned  INTEGER NOT NULL,
    sum     INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE INDEX objects_created ON objects (tenant, created);
CREATE INDEX objects_used ON objects (pinned, used);

CREATE TRIGGER objects_added AFTER INSERT ON objects
BEGIN
    INSERT INTO totals (tenant, objects, bytes) VALUES (NEW.tenant, 1, NEW.stored)
    ON CONFLICT (tenant) DO UPDATE SET objects = objects + 1, bytes = bytes + NEW.stored;
END;

CREATE TRIGGER objects_deleted AFTER DELETE ON objects
BEGIN
    UPDATE totals SET objects = objects - 1, bytes = bytes - OLD.stored WHERE tenant = OLD.tenant;
END;

CREATE TABLE extents (
    object INTEGER NOT NULL REFERENCES objects ON DELETE CASCADE,
    start  INTEGER NOT NULL,
    line   INTEGER NOT NULL,
    size   INTEGER NOT NULL,
    lines  INTEGER NOT NULL,
    chunk  INTEGER NOT NULL REFERENCES chunks,
    sum    INTEGER NOT NULL,
    PRIMARY KEY (object, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX extents_line ON extents (object, line);
CREATE INDEX extents_chunk ON extents (chunk);

CREATE TRIGGER extents_added AFTER INSERT ON extents
BEGIN
    UPDATE chunks SET orphan = 0 WHERE row = NEW.chunk AND orphan = 1;
END;

CREATE TRIGGER extents_deleted AFTER DELETE ON extents
BEGIN
    UPDATE chunks SET orphan = 1
    WHERE row = OLD.chunk AND NOT EXISTS (SELECT 1 FROM extents WHERE chunk = OLD.chunk);
END;

CREATE TABLE decisions (
    row     INTEGER PRIMARY KEY,
    tenant  BLOB NOT NULL,
    key     BLOB NOT NULL,
    size    INTEGER NOT NULL,
    created INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    sum     INTEGER NOT NULL,
    UNIQUE (tenant, key)
) STRICT;

CREATE TABLE bodies (
    row  INTEGER PRIMARY KEY REFERENCES decisions ON DELETE CASCADE,
    data BLOB NOT NULL
) STRICT;

CREATE INDEX decisions_used ON decisions (used);

CREATE TRIGGER decisions_added AFTER INSERT ON decisions
BEGIN
    INSERT INTO totals (tenant, decisions) VALUES (NEW.tenant, 1)
    ON CONFLICT (tenant) DO UPDATE SET decisions = decisions + 1;
END;

CREATE TRIGGER decisions_deleted AFTER DELETE ON decisions
BEGIN
    UPDATE totals SET decisions = decisions - 1 WHERE tenant = OLD.tenant;
END;

-- What decisions refer to, whether it is there or not.
CREATE TABLE pins (
    decision INTEGER NOT NULL REFERENCES decisions ON DELETE CASCADE,
    position INTEGER NOT NULL,
    tenant   BLOB NOT NULL,
    object   TEXT NOT NULL,
    PRIMARY KEY (decision, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX pins_object ON pins (tenant, object);

CREATE TRIGGER pins_added AFTER INSERT ON pins
BEGIN
    UPDATE objects SET pinned = 1 WHERE tenant = NEW.tenant AND id = NEW.object AND pinned = 0;
END;

CREATE TRIGGER pins_deleted AFTER DELETE ON pins
BEGIN
    UPDATE objects SET pinned = 0
    WHERE tenant = OLD.tenant AND id = OLD.object
      AND NOT EXISTS (SELECT 1 FROM pins WHERE tenant = OLD.tenant AND object = OLD.object);
END;

CREATE TABLE accounts (
    row            INTEGER PRIMARY KEY,
    tenant         BLOB NOT NULL,
    conversation   TEXT NOT NULL,
    model          TEXT NOT NULL,
    requests       INTEGER NOT NULL,
    input          INTEGER NOT NULL,
    output         INTEGER NOT NULL,
    cache_creation INTEGER NOT NULL,
    cache_read     INTEGER NOT NULL,
    reasoning      INTEGER NOT NULL,
    saved          INTEGER NOT NULL,
    written        INTEGER NOT NULL,
    first          INTEGER NOT NULL,
    last           INTEGER NOT NULL,
    sum            INTEGER NOT NULL,
    UNIQUE (tenant, conversation)
) STRICT;

CREATE INDEX accounts_last ON accounts (tenant, last);
