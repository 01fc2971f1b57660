-- Counters, so that statistics cost the same however much is stored. A tenant has
-- several rows of them, which add up, so that connections that write for it at the
-- same time seldom wait for each other.
CREATE TABLE plimsoll.total (
    tenant     bytea    NOT NULL,
    slot       smallint NOT NULL,
    objects    bigint   NOT NULL,
    bytes      bigint   NOT NULL,
    chunks     bigint   NOT NULL,
    compressed bigint   NOT NULL,
    decisions  bigint   NOT NULL,
    PRIMARY KEY (tenant, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION plimsoll.slot() RETURNS smallint LANGUAGE sql AS
    'SELECT (pg_backend_pid() % 16)::smallint';

CREATE FUNCTION plimsoll.count_objects() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO plimsoll.total AS t
    SELECT tenant, plimsoll.slot(), sign * count(*), sign * sum(stored), 0, 0, 0 FROM changed GROUP BY tenant ORDER BY tenant
    ON CONFLICT (tenant, slot) DO UPDATE SET objects = t.objects + excluded.objects, bytes = t.bytes + excluded.bytes;
    RETURN NULL;
END $$;

CREATE FUNCTION plimsoll.count_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO plimsoll.total AS t
    SELECT tenant, plimsoll.slot(), 0, 0, sign * count(*), sign * sum(octet_length(data)), 0 FROM changed GROUP BY tenant ORDER BY tenant
    ON CONFLICT (tenant, slot) DO UPDATE SET chunks = t.chunks + excluded.chunks, compressed = t.compressed + excluded.compressed;
    RETURN NULL;
END $$;

CREATE FUNCTION plimsoll.count_decisions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO plimsoll.total AS t
    SELECT tenant, plimsoll.slot(), 0, 0, 0, 0, sign * count(*) FROM changed GROUP BY tenant ORDER BY tenant
    ON CONFLICT (tenant, slot) DO UPDATE SET decisions = t.decisions + excluded.decisions;
    RETURN NULL;
END $$;

-- What replaces something damaged may have another size.
CREATE FUNCTION plimsoll.count_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE grown bigint := 0; longer bigint := 0;
BEGIN
    IF TG_TABLE_NAME = 'object' THEN
        grown := NEW.stored - OLD.stored;
    ELSE
        longer := octet_length(NEW.data) - octet_length(OLD.data);
    END IF;
    INSERT INTO plimsoll.total AS t VALUES (NEW.tenant, plimsoll.slot(), 0, grown, 0, longer, 0)
    ON CONFLICT (tenant, slot) DO UPDATE SET bytes = t.bytes + excluded.bytes, compressed = t.compressed + excluded.compressed;
    RETURN NULL;
END $$;

CREATE TRIGGER count_added AFTER INSERT ON plimsoll.object
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION plimsoll.count_objects();
CREATE TRIGGER count_deleted AFTER DELETE ON plimsoll.object
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION plimsoll.count_objects();
CREATE TRIGGER count_replaced AFTER UPDATE OF stored ON plimsoll.object
    FOR EACH ROW WHEN (OLD.damaged) EXECUTE FUNCTION plimsoll.count_replaced();
CREATE TRIGGER count_added AFTER INSERT ON plimsoll.chunk
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION plimsoll.count_chunks();
CREATE TRIGGER count_deleted AFTER DELETE ON plimsoll.chunk
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION plimsoll.count_chunks();
CREATE TRIGGER count_replaced AFTER UPDATE OF data ON plimsoll.chunk
    FOR EACH ROW WHEN (OLD.damaged) EXECUTE FUNCTION plimsoll.count_replaced();
CREATE TRIGGER count_added AFTER INSERT ON plimsoll.decision
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION plimsoll.count_decisions();
CREATE TRIGGER count_deleted AFTER DELETE ON plimsoll.decision
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION plimsoll.count_decisions();

INSERT INTO plimsoll.total
SELECT tenant, 0, sum(objects), sum(bytes), sum(chunks), sum(compressed), sum(decisions) FROM (
    SELECT tenant, 1 AS objects, stored AS bytes, 0 AS chunks, 0 AS compressed, 0 AS decisions FROM plimsoll.object
    UNION ALL SELECT tenant, 0, 0, 1, octet_length(data), 0 FROM plimsoll.chunk
    UNION ALL SELECT tenant, 0, 0, 0, 0, 1 FROM plimsoll.decision) AS rows
GROUP BY tenant;
