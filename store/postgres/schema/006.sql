-- Whose decision it is, so that a conversation can be deleted.
ALTER TABLE plimsoll.decision ADD COLUMN conversation text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX decision_conversation ON plimsoll.decision (tenant, conversation) WHERE conversation <> '';
