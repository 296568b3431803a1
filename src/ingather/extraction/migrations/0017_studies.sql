-- Studies of a review and their reports. A study is a judgement of the review: two projects may put the same files
-- together in different ways. Nothing here is overwritten without a line in study_event.

-- A study that was merged into another keeps its row, its name and its history, so that it can be split off again.
create table ingather.study (
    id          bigint generated always as identity primary key,
    project_id  bigint not null references ingather.project (id) on delete cascade,
    name        text check (char_length(name) between 1 and 200),  -- that a person gave; null: author and year
    merged_into bigint references ingather.study (id),
    created_at  timestamptz not null default clock_timestamp()
);
create index study_of_project on ingather.study (project_id, id);
create index study_merged on ingather.study (merged_into) where merged_into is not null;

-- A file of references as it came in, with what could not be read of it.
create table ingather.reference_source (
    id          bigint generated always as identity primary key,
    project_id  bigint not null references ingather.project (id) on delete cascade,
    name        text not null check (char_length(name) between 1 and 200),  -- of the database that was searched
    kind        text not null check (kind in ('database', 'register', 'other')),
    file_name   text not null,
    format      text not null,
    records     integer not null check (records >= 0),
    unreadable  jsonb not null,                  -- [{line, text, notice}]
    imported_by text not null,
    imported_at timestamptz not null default clock_timestamp()
);
create index reference_source_of_project on ingather.reference_source (project_id, id);

-- A report is a file, known by its content, or a record without one. The file is no reference: it may be deleted from
-- the library, and the report stays. `clues` are read from the file, `record` is what a file of references says.
create table ingather.report (
    id               bigint generated always as identity primary key,
    project_id       bigint not null references ingather.project (id) on delete cascade,
    study_id         bigint not null references ingather.study (id),
    sha256           text check (sha256 ~ '^[0-9a-f]{64}$'),
    file_name        text not null default '',
    source_id        bigint references ingather.reference_source (id),
    record           jsonb,
    clues            jsonb,                      -- null: nobody has looked yet
    registry_record  jsonb,                      -- of a trial registry, in the form of our own reader
    type             text check (type in ('article', 'preprint', 'abstract', 'protocol', 'registry', 'supplement',
                                          'other')),  -- that a person gave; null: as read
    same_as          bigint references ingather.report (id),
    excluded_at      text check (excluded_at in ('screening', 'assessment')),
    exclusion_reason text not null default '' check (char_length(exclusion_reason) <= 500),
    added_at         timestamptz not null default clock_timestamp(),
    unique (project_id, sha256),
    check (sha256 is not null or record is not null or registry_record is not null),
    check (same_as is null or same_as <> id),
    check (excluded_at is not null or exclusion_reason = '')
);
create index report_of_study on ingather.report (study_id);
create index report_of_project on ingather.report (project_id, id);

-- What people did. Details name the reports and the studies, so that every step can be taken back by another one.
create table ingather.study_event (
    id         bigint generated always as identity primary key,
    project_id bigint not null references ingather.project (id) on delete cascade,
    study_id   bigint not null references ingather.study (id),
    action     text not null check (action in ('merged', 'split', 'named', 'same_report', 'other_report', 'excluded',
                                               'included', 'kept_apart', 'typed')),
    details    jsonb not null,
    by_name    text not null check (char_length(by_name) between 1 and 200),
    account_id bigint,
    at         timestamptz not null default clock_timestamp()
);
create index study_event_of_project on ingather.study_event (project_id, id);
create index study_event_of_study on ingather.study_event (study_id, id);

-- Pairs that a person has looked at and found not to belong together: they are not suggested again.
create table ingather.reports_apart (
    one_id   bigint not null references ingather.report (id) on delete cascade,
    other_id bigint not null references ingather.report (id) on delete cascade,
    primary key (one_id, other_id),
    check (one_id < other_id)
);
