-- Extraction: projects and their templates, tasks with all that they froze, and every call to a model.
--
-- Findings have no table: they are the outcome of a task's item, written once like every other outcome.

create table ingather.project (
    id         bigint generated always as identity primary key,
    name       text not null unique check (char_length(name) between 1 and 200),
    created_at timestamptz not null default clock_timestamp()
);

-- What a template said when it was used, by its content. Never changed, never removed.
create table ingather.template_version (
    sha256      text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
    template_id text not null,
    version     integer not null check (version > 0),
    body        jsonb not null
);

-- A project's own templates, as they stand now. The built-in ones are files of the package.
create table ingather.template (
    id         text primary key check (id ~ '^[a-z][a-z0-9_]{0,62}$'),
    project_id bigint not null references ingather.project (id) on delete cascade,
    sha256     text not null references ingather.template_version (sha256),
    changed_at timestamptz not null default clock_timestamp()
);
create index template_of_project on ingather.template (project_id);

-- One extraction run: a batch, and what it was asked. The rows are written with the batch, in one transaction.
create table ingather.task (
    id              bigint generated always as identity primary key,
    project_id      bigint not null references ingather.project (id),
    batch_id        bigint not null unique,     -- no reference: batches may be pruned
    template_sha256 text not null references ingather.template_version (sha256),
    base_url        text,                       -- of the model; both are null where the embedded extractor answers
    model           text,
    context         text not null default '',   -- what the review is about, for the prompts
    spend_cap       numeric check (spend_cap >= 0 and spend_cap < 1e12),  -- NaN is greater than any number
    pause_reason    text,                       -- why the task paused itself, for the person who resumes it
    request_sha256  text not null,              -- of all that an idempotency key stands for
    created_at      timestamptz not null default clock_timestamp(),
    check ((base_url is null) = (model is null))
);
create index task_of_project on ingather.task (project_id, id);

-- The documents as they were when the task started; deleting one from the library changes nothing here. The reference
-- is the one thing extraction knows of the library's tables: it keeps the bytes for as long as a task needs them.
create table ingather.task_document (
    task_id     bigint not null references ingather.task (id) on delete cascade,
    ordinal     integer not null,
    document_id bigint not null,
    sha256      text not null references ingather.blob (sha256),
    file_name   text not null,
    primary key (task_id, ordinal)
);
create index task_document_sha256 on ingather.task_document (sha256);

-- Every call to a model, good or bad: what it cost, and for a good one the answer, so that it is never paid for twice.
-- An answer that was cut off is kept as well, for what is whole in it.
create table ingather.model_call (
    id                bigint generated always as identity primary key,
    task_id           bigint not null references ingather.task (id) on delete cascade,
    ordinal           integer not null,
    step              text not null,
    request_sha256    text not null,
    outcome           text not null,            -- ok, or the kind of the error
    sentence          text not null default '',
    answer            text,                     -- as the model wrote it
    model             text not null default '', -- as the provider named it in its reply
    prompt_tokens     bigint not null default 0,
    cached_tokens     bigint not null default 0,
    completion_tokens bigint not null default 0,
    cost              numeric,                  -- null: the price is not known
    currency          text,
    took_ms           integer not null,
    called_at         timestamptz not null default clock_timestamp(),
    check (answer is not null or outcome <> 'ok')
);
create index model_call_of_task on ingather.model_call (task_id, ordinal);
create index model_call_answer on ingather.model_call (request_sha256) where answer is not null;
