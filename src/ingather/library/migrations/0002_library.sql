-- The library: files by their content, the documents that name them, and what was read in them.
--
-- Whoever needs a file refers to ingather.blob: that foreign key is what keeps the bytes and their readings. Documents
-- come and go; a file leaves only when nothing refers to it any more.

create table ingather.knowledge_base (
    id         bigint generated always as identity primary key,
    space      bigint not null default 0,  -- keeps names and documents apart; who may see which is decided elsewhere
    name       text not null check (char_length(name) between 1 and 200),
    created_at timestamptz not null default clock_timestamp()
);
create unique index knowledge_base_name on ingather.knowledge_base (space, lower(name));

-- A file in the blob store. The row is written after the bytes are safe, so a row always has its bytes.
create table ingather.blob (
    sha256  text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
    size    bigint not null check (size >= 0),
    kept_at timestamptz not null default clock_timestamp()  -- the last upload of these bytes
);

create table ingather.document (
    id                bigint generated always as identity primary key,
    knowledge_base_id bigint not null references ingather.knowledge_base (id) on delete cascade,
    sha256            text not null references ingather.blob (sha256),
    file_name         text not null check (octet_length(file_name) between 1 and 255),  -- for people, never a path
    job_id            bigint not null,           -- the batch of one that reads it; may have been pruned since
    added_at          timestamptz not null default clock_timestamp(),
    unique (knowledge_base_id, sha256)
);
create index document_newest on ingather.document (knowledge_base_id, id);
create index document_sha256 on ingather.document (sha256);
create index document_job on ingather.document (job_id);

-- What one version of the parser made of a file. Never changed: another version makes another reading.
create table ingather.reading (
    id                bigint generated always as identity primary key,
    sha256            text not null references ingather.blob (sha256) on delete cascade,
    parser            text not null check (char_length(parser) between 1 and 100),
    problem           text check (problem in (
                          'encrypted', 'no_text_layer', 'not_a_pdf', 'truncated', 'too_big', 'too_many_pages',
                          'decompression_limit', 'too_slow', 'unreadable')),
    sentence          text not null default '',  -- the problem, told to a person
    page_count        integer not null check (page_count >= 0),
    hidden_characters integer not null check (hidden_characters >= 0),
    hidden            jsonb not null,            -- text that no reader sees: [{page, text, reason}]
    notes             text[] not null,
    read_at           timestamptz not null default clock_timestamp(),
    unique (sha256, parser),
    check (problem is null or (page_count = 0 and sentence <> ''))
);

create table ingather.page (
    reading_id bigint not null references ingather.reading (id) on delete cascade,
    number     integer not null check (number >= 0),
    width      double precision not null check (width >= 0),
    height     double precision not null check (height >= 0),
    text       text not null,
    boxes      bytea not null,                   -- where each character stands, packed: see places.py
    primary key (reading_id, number)
);
-- Packed already, so PostgreSQL need not try; and out of the row, so that reading the texts never loads them.
alter table ingather.page alter column boxes set storage external;
