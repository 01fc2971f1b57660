-- What was found to be damaged is replaced when it is written again.

ALTER TABLE objects ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER chunks_replaced AFTER UPDATE OF stored ON chunks
BEGIN
    UPDATE totals SET compressed = compressed - OLD.stored + NEW.stored WHERE tenant = NEW.tenant;
END;
