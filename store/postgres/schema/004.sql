-- What requests weighed, what was cut, and what it cost in picodollars.
ALTER TABLE plimsoll.account
    ADD COLUMN estimated bigint NOT NULL DEFAULT 0,
    ADD COLUMN cuts bigint NOT NULL DEFAULT 0,
    ADD COLUMN breaks bigint NOT NULL DEFAULT 0,
    ADD COLUMN priced bigint NOT NULL DEFAULT 0,
    ADD COLUMN paid bigint NOT NULL DEFAULT 0,
    ADD COLUMN uncut bigint NOT NULL DEFAULT 0,
    ADD COLUMN summaries bigint NOT NULL DEFAULT 0;
