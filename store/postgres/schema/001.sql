-- One row: which of these files were applied, and the key of the store.
CREATE TABLE plimsoll.store (
    version integer NOT NULL,
    secret  bytea   NOT NULL
);

CREATE TABLE plimsoll.object (
    tenant  bytea       NOT NULL,
    id      text        COLLATE "C" NOT NULL,
    kind    text        COLLATE "C" NOT NULL,
    bytes   bigint      NOT NULL,
    lines   bigint      NOT NULL,
    stored  bigint      NOT NULL,
    note    text        COLLATE "C" NOT NULL,
    created timestamptz NOT NULL,
    used    timestamptz NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX object_created ON plimsoll.object (tenant, created, id);
CREATE INDEX object_used ON plimsoll.object (used, tenant, id);

-- Every chunk that no extent names is loose. A loose one may have got an extent
-- since; Sweep looks, and then it is not loose any more. So a sweep looks at what is
-- new or lost an object since the last one, and not at the whole store.
CREATE TABLE plimsoll.chunk (
    tenant bytea       NOT NULL,
    id     bytea       NOT NULL,
    size   integer     NOT NULL,
    loose  boolean     NOT NULL DEFAULT true,
    used   timestamptz NOT NULL,
    data   bytea       NOT NULL,
    PRIMARY KEY (tenant, id)
);
-- The data are compressed already.
ALTER TABLE plimsoll.chunk ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX chunk_loose ON plimsoll.chunk (used) WHERE loose;

CREATE TABLE plimsoll.extent (
    tenant bytea   NOT NULL,
    object text    COLLATE "C" NOT NULL,
    pos    bigint  NOT NULL,
    line   bigint  NOT NULL,
    size   integer NOT NULL,
    lines  integer NOT NULL,
    chunk  bytea   NOT NULL,
    PRIMARY KEY (tenant, object, pos),
    CONSTRAINT extent_object FOREIGN KEY (tenant, object) REFERENCES plimsoll.object ON DELETE CASCADE,
    CONSTRAINT extent_chunk FOREIGN KEY (tenant, chunk) REFERENCES plimsoll.chunk
);
CREATE INDEX extent_line ON plimsoll.extent (tenant, object, line, pos);
CREATE INDEX extent_chunk ON plimsoll.extent (tenant, chunk);

CREATE TABLE plimsoll.decision (
    tenant  bytea       NOT NULL,
    key     bytea       NOT NULL,
    body    bytea       NOT NULL,
    refs    text[]      COLLATE "C" NOT NULL,
    created timestamptz NOT NULL,
    used    timestamptz NOT NULL,
    PRIMARY KEY (tenant, key)
);
CREATE INDEX decision_used ON plimsoll.decision (used);

-- The references of decisions once more, to be found by what they refer to.
CREATE TABLE plimsoll.reference (
    tenant bytea NOT NULL,
    object text  COLLATE "C" NOT NULL,
    key    bytea NOT NULL,
    PRIMARY KEY (tenant, object, key),
    CONSTRAINT reference_decision FOREIGN KEY (tenant, key) REFERENCES plimsoll.decision ON DELETE CASCADE
);
CREATE INDEX reference_decision ON plimsoll.reference (tenant, key);

CREATE TABLE plimsoll.account (
    tenant         bytea       NOT NULL,
    conversation   text        COLLATE "C" NOT NULL,
    model          text        COLLATE "C" NOT NULL,
    requests       bigint      NOT NULL,
    input          bigint      NOT NULL,
    output         bigint      NOT NULL,
    cache_creation bigint      NOT NULL,
    cache_read     bigint      NOT NULL,
    reasoning      bigint      NOT NULL,
    saved          bigint      NOT NULL,
    written        bigint      NOT NULL,
    first          timestamptz NOT NULL,
    last           timestamptz NOT NULL,
    PRIMARY KEY (tenant, conversation)
);
CREATE INDEX account_last ON plimsoll.account (tenant, last, conversation);

CREATE TABLE plimsoll.value (
    name  text  COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL
);

-- Times of leases are the server's, so that the clocks of its clients do not matter.
CREATE TABLE plimsoll.lease (
    name   text        COLLATE "C" PRIMARY KEY,
    holder text        COLLATE "C" NOT NULL,
    until  timestamptz NOT NULL
);
