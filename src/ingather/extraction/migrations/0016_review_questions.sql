-- What a review compares and which outcomes it wants, per project. A task keeps them in its template version, so a change
-- here changes no task.
create table ingather.review_questions (
    project_id bigint primary key references ingather.project (id) on delete cascade,
    revision   integer not null check (revision > 0),
    body       jsonb not null check (jsonb_typeof(body) = 'object'),
    changed_at timestamptz not null default clock_timestamp()
);

-- A review that mends the arms of a document has what was read anew from its tables. Older code does not look at it.
alter table ingather.review add column reread jsonb;

-- The cell of a table that a person has pointed at and whose value they have taken.
alter table ingather.review add column cell jsonb;
