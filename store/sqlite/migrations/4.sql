-- Decisions of other kinds than the engine's own: what a client was not shown, and what
-- an answer was. They are not counted. The sum of a row without a kind is that of
-- version 1.

ALTER TABLE decisions ADD COLUMN kind TEXT NOT NULL DEFAULT '';

DROP TRIGGER decisions_added;
DROP TRIGGER decisions_deleted;

CREATE TRIGGER decisions_added AFTER INSERT ON decisions WHEN NEW.kind = ''
BEGIN
    INSERT INTO totals (tenant, decisions) VALUES (NEW.tenant, 1)
    ON CONFLICT (tenant) DO UPDATE SET decisions = decisions + 1;
END;

CREATE TRIGGER decisions_deleted AFTER DELETE ON decisions WHEN OLD.kind = ''
BEGIN
    UPDATE totals SET decisions = decisions - 1 WHERE tenant = OLD.tenant;
END;
