-- How far the answers are that models write at this moment, for the people who wait for them. A row lives as long as its
-- call, which writes it once a second; a call that ends sooner leaves none.
create table ingather.answer_under_way (
    task_id    bigint not null,
    ordinal    integer not null,
    step       text not null,
    characters integer not null default 0,
    sent_at    timestamptz not null default clock_timestamp(),
    seen_at    timestamptz not null default clock_timestamp(),
    primary key (task_id, ordinal)
);
