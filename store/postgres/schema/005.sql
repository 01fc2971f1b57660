-- Decisions of other kinds than the engine's own: what a client was not shown, and what
-- an answer was. They are not counted.
ALTER TABLE plimsoll.decision ADD COLUMN kind text NOT NULL DEFAULT '';

CREATE OR REPLACE FUNCTION plimsoll.count_decisions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE sign integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO plimsoll.total AS t
    SELECT tenant, plimsoll.slot(), 0, 0, 0, 0, sign * count(*) FROM changed WHERE kind = '' GROUP BY tenant ORDER BY tenant
    ON CONFLICT (tenant, slot) DO UPDATE SET decisions = t.decisions + excluded.decisions;
    RETURN NULL;
END $$;
