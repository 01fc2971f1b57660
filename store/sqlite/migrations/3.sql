-- What requests weighed, what was cut, and what it cost in picodollars. The sum of a row
-- that has none of it is that of version 1.

ALTER TABLE accounts ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN cuts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN breaks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN priced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN paid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN uncut INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN summaries INTEGER NOT NULL DEFAULT 0;
