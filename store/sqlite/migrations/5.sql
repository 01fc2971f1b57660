-- Whose decision it is, so that a conversation can be deleted. The sum of a row without a
-- conversation is that of version 4.

ALTER TABLE decisions ADD COLUMN conversation TEXT NOT NULL DEFAULT '';

CREATE INDEX decisions_conversation ON decisions (tenant, conversation) WHERE conversation <> '';
