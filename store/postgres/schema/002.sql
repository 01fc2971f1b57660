-- What was found to be damaged is replaced when it is written again.
ALTER TABLE plimsoll.object ADD COLUMN damaged boolean NOT NULL DEFAULT false;
ALTER TABLE plimsoll.chunk ADD COLUMN damaged boolean NOT NULL DEFAULT false;
