-- The schema after all migrations, for reading. Written by `python3 dev.py schema`; do not edit.

-- SCHEMA ingather

CREATE SCHEMA ingather;

-- FUNCTION fill_kind()

CREATE FUNCTION ingather.fill_kind() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.kind := (select kind from ingather.batch where id = new.batch_id);
    return new;
end
$$;

-- TABLE account

CREATE TABLE ingather.account (
    id bigint NOT NULL,
    name text NOT NULL,
    is_operator boolean DEFAULT false NOT NULL,
    is_disabled boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT account_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

-- SEQUENCE account_id_seq

ALTER TABLE ingather.account ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.account_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE answer_under_way

CREATE TABLE ingather.answer_under_way (
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    step text NOT NULL,
    characters integer DEFAULT 0 NOT NULL,
    sent_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

-- TABLE api_token

CREATE TABLE ingather.api_token (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    name text NOT NULL,
    sha256 bytea NOT NULL,
    hint text NOT NULL,
    scope text NOT NULL,
    project_id bigint,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT api_token_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT api_token_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'write'::text, 'operate'::text])))
);

-- SEQUENCE api_token_id_seq

ALTER TABLE ingather.api_token ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.api_token_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE assignment

CREATE TABLE ingather.assignment (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    side smallint NOT NULL,
    account_id bigint NOT NULL,
    name text NOT NULL,
    assigned_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT assignment_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT assignment_side_check CHECK ((side = ANY (ARRAY[1, 2])))
);

-- SEQUENCE assignment_id_seq

ALTER TABLE ingather.assignment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.assignment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE batch

CREATE TABLE ingather.batch (
    id bigint NOT NULL,
    kind text NOT NULL,
    queue text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    total bigint NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    max_attempts smallint NOT NULL,
    timeout_s integer NOT NULL,
    gathers boolean NOT NULL,
    gather_id bigint,
    parent_id bigint,
    idempotency_key text,
    request_hash bytea,
    completed bigint,
    error bigint,
    cancelled bigint,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    closed_at timestamp with time zone,
    share text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    holds_parent boolean DEFAULT false NOT NULL,
    max_items bigint,
    pruned_to bigint DEFAULT 0 NOT NULL,
    CONSTRAINT batch_check CHECK (((state = 'closed'::text) = (closed_at IS NOT NULL))),
    CONSTRAINT batch_check1 CHECK (((state = 'open'::text) OR (((completed + error) + cancelled) = total))),
    CONSTRAINT batch_check2 CHECK (((idempotency_key IS NULL) = (request_hash IS NULL))),
    CONSTRAINT batch_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{0,62}$'::text)),
    CONSTRAINT batch_max_attempts_check CHECK (((max_attempts >= 1) AND (max_attempts <= 100))),
    CONSTRAINT batch_max_items_check CHECK ((max_items > 0)),
    CONSTRAINT batch_priority_check CHECK (((priority >= '-100'::integer) AND (priority <= 100))),
    CONSTRAINT batch_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT batch_timeout_s_check CHECK (((timeout_s >= 1) AND (timeout_s <= 86400))),
    CONSTRAINT batch_total_check CHECK ((total > 0))
);

-- SEQUENCE batch_id_seq

ALTER TABLE ingather.batch ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.batch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE blob

CREATE TABLE ingather.blob (
    sha256 text NOT NULL,
    size bigint NOT NULL,
    kept_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT blob_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT blob_size_check CHECK ((size >= 0))
);

-- TABLE cell_comment

CREATE TABLE ingather.cell_comment (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    row_key text NOT NULL,
    field text NOT NULL,
    account_id bigint NOT NULL,
    author text NOT NULL,
    text text NOT NULL,
    mentions bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    resolved_at timestamp with time zone,
    resolved_by text,
    CONSTRAINT cell_comment_author_check CHECK (((char_length(author) >= 1) AND (char_length(author) <= 200))),
    CONSTRAINT cell_comment_check CHECK (((resolved_at IS NULL) = (resolved_by IS NULL))),
    CONSTRAINT cell_comment_resolved_by_check CHECK (((char_length(resolved_by) >= 1) AND (char_length(resolved_by) <= 200))),
    CONSTRAINT cell_comment_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 2000)))
);

-- SEQUENCE cell_comment_id_seq

ALTER TABLE ingather.cell_comment ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.cell_comment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE document

CREATE TABLE ingather.document (
    id bigint NOT NULL,
    knowledge_base_id bigint NOT NULL,
    sha256 text NOT NULL,
    file_name text NOT NULL,
    job_id bigint NOT NULL,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT document_file_name_check CHECK (((octet_length(file_name) >= 1) AND (octet_length(file_name) <= 255)))
);

-- SEQUENCE document_id_seq

ALTER TABLE ingather.document ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.document_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE invitation

CREATE TABLE ingather.invitation (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    role text NOT NULL,
    sha256 bytea NOT NULL,
    made_by text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    used_by bigint,
    revoked_at timestamp with time zone,
    CONSTRAINT invitation_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'adjudicator'::text, 'reviewer'::text, 'reader'::text])))
);

-- SEQUENCE invitation_id_seq

ALTER TABLE ingather.invitation ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.invitation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE lease

CREATE TABLE ingather.lease (
    token bigint NOT NULL,
    first_id bigint NOT NULL,
    last_id bigint NOT NULL,
    batch_id bigint NOT NULL,
    worker_id bigint NOT NULL,
    claimed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    open integer NOT NULL,
    starting integer NOT NULL,
    attempt smallint NOT NULL,
    lost smallint NOT NULL,
    is_gather boolean NOT NULL,
    queue text NOT NULL,
    returned bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    died_with bigint,
    spared smallint,
    CONSTRAINT lease_check CHECK ((last_id >= first_id)),
    CONSTRAINT lease_open_check CHECK ((open > 0))
);

-- TABLE outcome

CREATE TABLE ingather.outcome (
    item_id bigint NOT NULL,
    token bigint NOT NULL,
    worker_id bigint NOT NULL,
    finished_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    took_ms integer NOT NULL,
    attempt smallint NOT NULL,
    lost smallint NOT NULL,
    state "char" NOT NULL,
    result jsonb,
    error jsonb,
    CONSTRAINT outcome_check CHECK (((state = 'c'::"char") = (error IS NULL))),
    CONSTRAINT outcome_state_check CHECK ((state = ANY (ARRAY['c'::"char", 'e'::"char", 'x'::"char"])))
);

-- TABLE payload

CREATE TABLE ingather.payload (
    item_id bigint NOT NULL,
    body jsonb NOT NULL
);

-- TABLE segment

CREATE TABLE ingather.segment (
    id bigint NOT NULL,
    batch_id bigint NOT NULL,
    first_ordinal bigint NOT NULL,
    next_id bigint NOT NULL,
    last_id bigint NOT NULL,
    priority smallint NOT NULL,
    queue text,
    key uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text,
    share text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    parked boolean DEFAULT false NOT NULL,
    CONSTRAINT segment_check CHECK ((((next_id >> 20) = id) AND ((last_id >> 20) = id) AND (next_id <= (last_id + 1)))),
    CONSTRAINT segment_check1 CHECK (((queue IS NULL) = (next_id > last_id)))
)
WITH (fillfactor='50');

-- TABLE waiting

CREATE TABLE ingather.waiting (
    item_id bigint NOT NULL,
    batch_id bigint NOT NULL,
    run_at timestamp with time zone NOT NULL,
    attempt smallint NOT NULL,
    lost smallint NOT NULL,
    is_gather boolean DEFAULT false NOT NULL,
    queue text NOT NULL,
    error jsonb,
    kind text,
    parked boolean DEFAULT false NOT NULL,
    died_with bigint,
    spared smallint,
    CONSTRAINT waiting_run_at_check CHECK (isfinite(run_at))
);

-- VIEW item

CREATE VIEW ingather.item AS
 SELECT p.item_id AS id,
    s.batch_id,
    (s.first_ordinal + (p.item_id & (1048575)::bigint)) AS ordinal,
        CASE
            WHEN (o.state = 'c'::"char") THEN 'completed'::text
            WHEN (o.state = 'e'::"char") THEN 'error'::text
            WHEN (o.state = 'x'::"char") THEN 'cancelled'::text
            WHEN (l.token IS NOT NULL) THEN 'running'::text
            ELSE 'pending'::text
        END AS state,
    COALESCE(o.attempt, l.attempt, w.attempt, (0)::smallint) AS attempt,
    COALESCE(o.lost, l.lost, w.lost, (0)::smallint) AS lost,
        CASE
            WHEN ((o.item_id IS NULL) AND (l.token IS NULL)) THEN COALESCE(w.run_at, b.created_at)
            ELSE NULL::timestamp with time zone
        END AS run_at,
    COALESCE(o.worker_id, l.worker_id) AS worker_id,
    p.body AS payload,
    o.result,
    COALESCE(o.error, w.error) AS error,
        CASE
            WHEN (o.item_id IS NULL) THEN l.claimed_at
            WHEN (o.state <> 'x'::"char") THEN (o.finished_at - ((o.took_ms)::double precision * '00:00:00.001'::interval))
            ELSE NULL::timestamp with time zone
        END AS started_at,
    o.finished_at,
    ((s.key || '-'::text) || (s.first_ordinal + (p.item_id & (1048575)::bigint))) AS key
   FROM (((((ingather.segment s
     JOIN ingather.batch b ON ((b.id = s.batch_id)))
     JOIN ingather.payload p ON ((((p.item_id >= (s.id << 20)) AND (p.item_id <= s.last_id)) AND ((p.item_id >> 20) = s.id))))
     LEFT JOIN ingather.outcome o ON ((o.item_id = p.item_id)))
     LEFT JOIN ingather.waiting w ON ((w.item_id = p.item_id)))
     LEFT JOIN ( SELECT c.token,
            c.first_id,
            c.last_id,
            c.batch_id,
            c.worker_id,
            c.claimed_at,
            c.open,
            c.starting,
            c.attempt,
            c.lost,
            c.is_gather,
            c.queue,
            c.returned,
            leased.id
           FROM (ingather.lease c
             CROSS JOIN LATERAL generate_series(c.first_id, c.last_id) leased(id))
          WHERE (leased.id <> ALL (c.returned))) l ON (((l.id = p.item_id) AND (o.item_id IS NULL))));

-- TABLE knowledge_base

CREATE TABLE ingather.knowledge_base (
    id bigint NOT NULL,
    space bigint DEFAULT 0 NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT knowledge_base_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

-- SEQUENCE knowledge_base_id_seq

ALTER TABLE ingather.knowledge_base ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.knowledge_base_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE label

CREATE TABLE ingather.label (
    batch_id bigint NOT NULL,
    label text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT label_label_check CHECK (((length(label) >= 1) AND (length(label) <= 255)))
);

-- TABLE membership

CREATE TABLE ingather.membership (
    project_id bigint NOT NULL,
    account_id bigint NOT NULL,
    role text NOT NULL,
    CONSTRAINT membership_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'adjudicator'::text, 'reviewer'::text, 'reader'::text])))
);

-- TABLE migration

CREATE TABLE ingather.migration (
    version integer NOT NULL,
    name text NOT NULL,
    oldest integer NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

-- TABLE model_call

CREATE TABLE ingather.model_call (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    step text NOT NULL,
    request_sha256 text NOT NULL,
    outcome text NOT NULL,
    sentence text DEFAULT ''::text NOT NULL,
    answer text,
    model text DEFAULT ''::text NOT NULL,
    prompt_tokens bigint DEFAULT 0 NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    completion_tokens bigint DEFAULT 0 NOT NULL,
    cost numeric,
    currency text,
    took_ms integer NOT NULL,
    called_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    notice jsonb,
    CONSTRAINT model_call_check CHECK (((answer IS NOT NULL) OR (outcome <> 'ok'::text)))
);

-- SEQUENCE model_call_id_seq

ALTER TABLE ingather.model_call ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.model_call_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE page

CREATE TABLE ingather.page (
    reading_id bigint NOT NULL,
    number integer NOT NULL,
    width double precision NOT NULL,
    height double precision NOT NULL,
    text text NOT NULL,
    boxes bytea NOT NULL,
    CONSTRAINT page_height_check CHECK ((height >= (0)::double precision)),
    CONSTRAINT page_number_check CHECK ((number >= 0)),
    CONSTRAINT page_width_check CHECK ((width >= (0)::double precision))
);
ALTER TABLE ONLY ingather.page ALTER COLUMN boxes SET STORAGE EXTERNAL;

-- TABLE presence

CREATE UNLOGGED TABLE ingather.presence (
    task_id bigint NOT NULL,
    account_id bigint NOT NULL,
    place text DEFAULT ''::text NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT presence_place_check CHECK ((char_length(place) <= 800))
);

-- TABLE project

CREATE TABLE ingather.project (
    id bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    made_for text,
    CONSTRAINT project_made_for_check CHECK ((made_for ~ '^[a-z][a-z0-9_]{0,62}$'::text)),
    CONSTRAINT project_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

-- SEQUENCE project_id_seq

ALTER TABLE ingather.project ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.project_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE queue

CREATE TABLE ingather.queue (
    name text NOT NULL,
    max_running integer,
    rate_items integer,
    rate_window interval,
    paused boolean DEFAULT false NOT NULL,
    blocked_until timestamp with time zone,
    CONSTRAINT queue_blocked_until_check CHECK (isfinite(blocked_until)),
    CONSTRAINT queue_check CHECK (((rate_items IS NULL) = (rate_window IS NULL))),
    CONSTRAINT queue_max_running_check CHECK (((max_running >= 1) AND (max_running <= 1000000))),
    CONSTRAINT queue_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{0,62}$'::text)),
    CONSTRAINT queue_rate_items_check CHECK (((rate_items >= 1) AND (rate_items <= 1000000))),
    CONSTRAINT queue_rate_window_check CHECK (((rate_window >= '00:00:01'::interval) AND (rate_window <= '1 day'::interval)))
);

-- VIEW queue_load

CREATE VIEW ingather.queue_load AS
 SELECT name AS queue,
    (( SELECT (COALESCE(sum(((s.last_id - s.next_id) + 1)), (0)::numeric))::bigint AS "coalesce"
           FROM ingather.segment s
          WHERE ((s.queue = q.name) AND (NOT s.parked))) + ( SELECT count(*) AS count
           FROM ( SELECT
                   FROM ingather.waiting w
                  WHERE ((w.queue = q.name) AND (NOT w.parked) AND (w.run_at <= clock_timestamp()))
                 LIMIT 10000) due)) AS due,
    ( SELECT COALESCE(sum(l.open), (0)::bigint) AS "coalesce"
           FROM ingather.lease l
          WHERE (l.queue = q.name)) AS running,
    (GREATEST((0)::numeric, EXTRACT(epoch FROM (clock_timestamp() - LEAST(( SELECT b.created_at
           FROM (ingather.segment s
             JOIN ingather.batch b ON ((b.id = s.batch_id)))
          WHERE ((s.queue = q.name) AND (NOT s.parked))
          ORDER BY s.batch_id
         LIMIT 1), ( SELECT min(w.run_at) AS min
           FROM ingather.waiting w
          WHERE ((w.queue = q.name) AND (NOT w.parked) AND (w.run_at > '2000-01-01 00:00:00+00'::timestamp with time zone))))))))::double precision AS oldest_due_s,
    max_running,
    (paused OR ((blocked_until > clock_timestamp()) IS TRUE)) AS is_held
   FROM ingather.queue q;

-- TABLE rate_use

CREATE TABLE ingather.rate_use (
    queue text NOT NULL,
    used_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    items integer NOT NULL,
    began_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

-- TABLE reading

CREATE TABLE ingather.reading (
    id bigint NOT NULL,
    sha256 text NOT NULL,
    parser text NOT NULL,
    problem text,
    sentence text DEFAULT ''::text NOT NULL,
    page_count integer NOT NULL,
    hidden_characters integer NOT NULL,
    hidden jsonb NOT NULL,
    notes text[] NOT NULL,
    read_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    tables bytea,
    notice jsonb,
    CONSTRAINT reading_check CHECK (((problem IS NULL) OR ((page_count = 0) AND (sentence <> ''::text)))),
    CONSTRAINT reading_hidden_characters_check CHECK ((hidden_characters >= 0)),
    CONSTRAINT reading_page_count_check CHECK ((page_count >= 0)),
    CONSTRAINT reading_parser_check CHECK (((char_length(parser) >= 1) AND (char_length(parser) <= 100))),
    CONSTRAINT reading_problem_check CHECK ((problem = ANY (ARRAY['encrypted'::text, 'no_text_layer'::text, 'not_a_pdf'::text, 'truncated'::text, 'too_big'::text, 'too_many_pages'::text, 'decompression_limit'::text, 'too_slow'::text, 'unreadable'::text])))
);
ALTER TABLE ONLY ingather.reading ALTER COLUMN tables SET STORAGE EXTERNAL;

-- SEQUENCE reading_id_seq

ALTER TABLE ingather.reading ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.reading_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE reference_source

CREATE TABLE ingather.reference_source (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    file_name text NOT NULL,
    format text NOT NULL,
    records integer NOT NULL,
    unreadable jsonb NOT NULL,
    imported_by text NOT NULL,
    imported_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT reference_source_kind_check CHECK ((kind = ANY (ARRAY['database'::text, 'register'::text, 'other'::text]))),
    CONSTRAINT reference_source_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT reference_source_records_check CHECK ((records >= 0))
);

-- SEQUENCE reference_source_id_seq

ALTER TABLE ingather.reference_source ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.reference_source_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE report

CREATE TABLE ingather.report (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    study_id bigint NOT NULL,
    sha256 text,
    file_name text DEFAULT ''::text NOT NULL,
    source_id bigint,
    record jsonb,
    clues jsonb,
    registry_record jsonb,
    type text,
    same_as bigint,
    excluded_at text,
    exclusion_reason text DEFAULT ''::text NOT NULL,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT report_check CHECK (((sha256 IS NOT NULL) OR (record IS NOT NULL) OR (registry_record IS NOT NULL))),
    CONSTRAINT report_check1 CHECK (((same_as IS NULL) OR (same_as <> id))),
    CONSTRAINT report_check2 CHECK (((excluded_at IS NOT NULL) OR (exclusion_reason = ''::text))),
    CONSTRAINT report_excluded_at_check CHECK ((excluded_at = ANY (ARRAY['screening'::text, 'assessment'::text]))),
    CONSTRAINT report_exclusion_reason_check CHECK ((char_length(exclusion_reason) <= 500)),
    CONSTRAINT report_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT report_type_check CHECK ((type = ANY (ARRAY['article'::text, 'preprint'::text, 'abstract'::text, 'protocol'::text, 'registry'::text, 'supplement'::text, 'other'::text])))
);

-- SEQUENCE report_id_seq

ALTER TABLE ingather.report ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.report_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE reports_apart

CREATE TABLE ingather.reports_apart (
    one_id bigint NOT NULL,
    other_id bigint NOT NULL,
    CONSTRAINT reports_apart_check CHECK ((one_id < other_id))
);

-- TABLE review

CREATE TABLE ingather.review (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    row_key text NOT NULL,
    field text NOT NULL,
    revision integer NOT NULL,
    action text NOT NULL,
    value jsonb,
    note text DEFAULT ''::text NOT NULL,
    reviewer text NOT NULL,
    account_id bigint,
    finding_sha256 text NOT NULL,
    reviewed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    reread jsonb,
    cell jsonb,
    passage jsonb,
    CONSTRAINT review_action_check CHECK ((action = ANY (ARRAY['accepted'::text, 'edited'::text, 'not_reported'::text, 'not_applicable'::text, 'unclear'::text, 'rejected'::text, 'withdrawn'::text]))),
    CONSTRAINT review_check CHECK (((action = 'edited'::text) = (value IS NOT NULL))),
    CONSTRAINT review_finding_sha256_check CHECK ((finding_sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT review_note_check CHECK ((char_length(note) <= 2000)),
    CONSTRAINT review_reviewer_check CHECK (((char_length(reviewer) >= 1) AND (char_length(reviewer) <= 200))),
    CONSTRAINT review_revision_check CHECK ((revision > 0))
);

-- SEQUENCE review_id_seq

ALTER TABLE ingather.review ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.review_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE review_mode

CREATE TABLE ingather.review_mode (
    project_id bigint NOT NULL,
    mode text NOT NULL,
    shows_extractor boolean DEFAULT true NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT review_mode_mode_check CHECK ((mode = ANY (ARRAY['single'::text, 'checked'::text, 'independent'::text])))
);

-- TABLE review_questions

CREATE TABLE ingather.review_questions (
    project_id bigint NOT NULL,
    revision integer NOT NULL,
    body jsonb NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT review_questions_body_check CHECK ((jsonb_typeof(body) = 'object'::text)),
    CONSTRAINT review_questions_revision_check CHECK ((revision > 0))
);

-- TABLE schedule

CREATE TABLE ingather.schedule (
    name text NOT NULL,
    kind text NOT NULL,
    queue text NOT NULL,
    payload jsonb NOT NULL,
    cron text NOT NULL,
    tz text NOT NULL,
    seconds boolean NOT NULL,
    catch_up text NOT NULL,
    priority smallint NOT NULL,
    max_attempts smallint NOT NULL,
    timeout_s integer NOT NULL,
    gathers boolean NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    last_at timestamp with time zone,
    next_at timestamp with time zone NOT NULL,
    CONSTRAINT schedule_catch_up_check CHECK ((catch_up = ANY (ARRAY['skip'::text, 'one'::text, 'all'::text]))),
    CONSTRAINT schedule_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{0,62}$'::text)),
    CONSTRAINT schedule_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{0,62}$'::text))
);

-- SEQUENCE segment_id

CREATE SEQUENCE ingather.segment_id
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

-- TABLE session

CREATE TABLE ingather.session (
    sha256 bytea NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

-- TABLE set_aside

CREATE TABLE ingather.set_aside (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    amount numeric NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT set_aside_amount_check CHECK ((amount >= (0)::numeric))
);

-- SEQUENCE set_aside_id_seq

ALTER TABLE ingather.set_aside ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.set_aside_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE sign_in_link

CREATE TABLE ingather.sign_in_link (
    sha256 bytea NOT NULL,
    account_id bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);

-- TABLE study

CREATE TABLE ingather.study (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    name text,
    merged_into bigint,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT study_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

-- TABLE study_event

CREATE TABLE ingather.study_event (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    study_id bigint NOT NULL,
    action text NOT NULL,
    details jsonb NOT NULL,
    by_name text NOT NULL,
    account_id bigint,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT study_event_action_check CHECK ((action = ANY (ARRAY['merged'::text, 'split'::text, 'named'::text, 'same_report'::text, 'other_report'::text, 'excluded'::text, 'included'::text, 'kept_apart'::text, 'typed'::text]))),
    CONSTRAINT study_event_by_name_check CHECK (((char_length(by_name) >= 1) AND (char_length(by_name) <= 200)))
);

-- SEQUENCE study_event_id_seq

ALTER TABLE ingather.study_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.study_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- SEQUENCE study_id_seq

ALTER TABLE ingather.study ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.study_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE tally

CREATE TABLE ingather.tally (
    batch_id bigint NOT NULL,
    worker_id bigint NOT NULL,
    completed bigint DEFAULT 0 NOT NULL,
    error bigint DEFAULT 0 NOT NULL,
    cancelled bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

-- TABLE task

CREATE TABLE ingather.task (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    batch_id bigint NOT NULL,
    template_sha256 text NOT NULL,
    base_url text,
    model text,
    context text DEFAULT ''::text NOT NULL,
    spend_cap numeric,
    pause_reason text,
    request_sha256 text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    pause_notice jsonb,
    follows_id bigint,
    again jsonb,
    name text,
    archived_at timestamp with time zone,
    CONSTRAINT task_again_check CHECK (((again IS NULL) OR (jsonb_typeof(again) = 'object'::text))),
    CONSTRAINT task_check CHECK (((base_url IS NULL) = (model IS NULL))),
    CONSTRAINT task_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT task_spend_cap_check CHECK (((spend_cap >= (0)::numeric) AND (spend_cap < '1000000000000'::numeric)))
);

-- TABLE task_document

CREATE TABLE ingather.task_document (
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    document_id bigint NOT NULL,
    sha256 text NOT NULL,
    file_name text NOT NULL
);

-- SEQUENCE task_id_seq

ALTER TABLE ingather.task ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE template

CREATE TABLE ingather.template (
    id text NOT NULL,
    project_id bigint NOT NULL,
    sha256 text NOT NULL,
    changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT template_id_check CHECK ((id ~ '^[a-z][a-z0-9_]{0,62}$'::text))
);

-- TABLE template_version

CREATE TABLE ingather.template_version (
    sha256 text NOT NULL,
    template_id text NOT NULL,
    version integer NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT template_version_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT template_version_version_check CHECK ((version > 0))
);

-- TABLE vote

CREATE TABLE ingather.vote (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    row_key text NOT NULL,
    field text NOT NULL,
    side smallint NOT NULL,
    revision integer NOT NULL,
    action text NOT NULL,
    value jsonb,
    note text DEFAULT ''::text NOT NULL,
    reviewer text NOT NULL,
    account_id bigint NOT NULL,
    finding_sha256 text NOT NULL,
    outcome jsonb NOT NULL,
    cell jsonb,
    passage jsonb,
    voted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT vote_action_check CHECK ((action = ANY (ARRAY['accepted'::text, 'edited'::text, 'not_reported'::text, 'not_applicable'::text, 'unclear'::text, 'rejected'::text, 'withdrawn'::text]))),
    CONSTRAINT vote_check CHECK (((action = 'edited'::text) = (value IS NOT NULL))),
    CONSTRAINT vote_finding_sha256_check CHECK ((finding_sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT vote_note_check CHECK ((char_length(note) <= 2000)),
    CONSTRAINT vote_reviewer_check CHECK (((char_length(reviewer) >= 1) AND (char_length(reviewer) <= 200))),
    CONSTRAINT vote_revision_check CHECK ((revision > 0)),
    CONSTRAINT vote_side_check CHECK ((side = ANY (ARRAY[1, 2])))
);

-- SEQUENCE vote_id_seq

ALTER TABLE ingather.vote ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.vote_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE vote_pair

CREATE TABLE ingather.vote_pair (
    id bigint NOT NULL,
    task_id bigint NOT NULL,
    ordinal integer NOT NULL,
    row_key text NOT NULL,
    field text NOT NULL,
    first_id bigint NOT NULL,
    second_id bigint NOT NULL,
    is_agreed boolean NOT NULL,
    paired_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    settled_at timestamp with time zone,
    settled_by text,
    CONSTRAINT vote_pair_check CHECK (((settled_at IS NULL) = (settled_by IS NULL))),
    CONSTRAINT vote_pair_settled_by_check CHECK (((char_length(settled_by) >= 1) AND (char_length(settled_by) <= 200)))
);

-- SEQUENCE vote_pair_id_seq

ALTER TABLE ingather.vote_pair ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME ingather.vote_pair_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

-- TABLE worker

CREATE TABLE ingather.worker (
    id bigint DEFAULT (hashtextextended((gen_random_uuid())::text, (0)::bigint) & '9007199254740991'::bigint) NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    kinds text[] NOT NULL,
    lease interval NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    beat_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    running bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    CONSTRAINT worker_lease_check CHECK ((lease >= '00:00:01'::interval))
)
WITH (fillfactor='50');

-- CONSTRAINT account account_name_key

ALTER TABLE ONLY ingather.account
    ADD CONSTRAINT account_name_key UNIQUE (name);

-- CONSTRAINT account account_pkey

ALTER TABLE ONLY ingather.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);

-- CONSTRAINT answer_under_way answer_under_way_pkey

ALTER TABLE ONLY ingather.answer_under_way
    ADD CONSTRAINT answer_under_way_pkey PRIMARY KEY (task_id, ordinal);

-- CONSTRAINT api_token api_token_pkey

ALTER TABLE ONLY ingather.api_token
    ADD CONSTRAINT api_token_pkey PRIMARY KEY (id);

-- CONSTRAINT api_token api_token_sha256_key

ALTER TABLE ONLY ingather.api_token
    ADD CONSTRAINT api_token_sha256_key UNIQUE (sha256);

-- CONSTRAINT assignment assignment_pkey

ALTER TABLE ONLY ingather.assignment
    ADD CONSTRAINT assignment_pkey PRIMARY KEY (id);

-- CONSTRAINT batch batch_idempotency_key_key

ALTER TABLE ONLY ingather.batch
    ADD CONSTRAINT batch_idempotency_key_key UNIQUE (idempotency_key);

-- CONSTRAINT batch batch_pkey

ALTER TABLE ONLY ingather.batch
    ADD CONSTRAINT batch_pkey PRIMARY KEY (id);

-- CONSTRAINT blob blob_pkey

ALTER TABLE ONLY ingather.blob
    ADD CONSTRAINT blob_pkey PRIMARY KEY (sha256);

-- CONSTRAINT cell_comment cell_comment_pkey

ALTER TABLE ONLY ingather.cell_comment
    ADD CONSTRAINT cell_comment_pkey PRIMARY KEY (id);

-- CONSTRAINT document document_knowledge_base_id_sha256_key

ALTER TABLE ONLY ingather.document
    ADD CONSTRAINT document_knowledge_base_id_sha256_key UNIQUE (knowledge_base_id, sha256);

-- CONSTRAINT document document_pkey

ALTER TABLE ONLY ingather.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (id);

-- CONSTRAINT invitation invitation_pkey

ALTER TABLE ONLY ingather.invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (id);

-- CONSTRAINT invitation invitation_sha256_key

ALTER TABLE ONLY ingather.invitation
    ADD CONSTRAINT invitation_sha256_key UNIQUE (sha256);

-- CONSTRAINT knowledge_base knowledge_base_pkey

ALTER TABLE ONLY ingather.knowledge_base
    ADD CONSTRAINT knowledge_base_pkey PRIMARY KEY (id);

-- CONSTRAINT label label_pkey

ALTER TABLE ONLY ingather.label
    ADD CONSTRAINT label_pkey PRIMARY KEY (batch_id, label);

-- CONSTRAINT lease lease_pkey

ALTER TABLE ONLY ingather.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (token);

-- CONSTRAINT membership membership_pkey

ALTER TABLE ONLY ingather.membership
    ADD CONSTRAINT membership_pkey PRIMARY KEY (project_id, account_id);

-- CONSTRAINT migration migration_pkey

ALTER TABLE ONLY ingather.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (version);

-- CONSTRAINT model_call model_call_pkey

ALTER TABLE ONLY ingather.model_call
    ADD CONSTRAINT model_call_pkey PRIMARY KEY (id);

-- CONSTRAINT outcome outcome_pkey

ALTER TABLE ONLY ingather.outcome
    ADD CONSTRAINT outcome_pkey PRIMARY KEY (item_id);

-- CONSTRAINT page page_pkey

ALTER TABLE ONLY ingather.page
    ADD CONSTRAINT page_pkey PRIMARY KEY (reading_id, number);

-- CONSTRAINT payload payload_pkey

ALTER TABLE ONLY ingather.payload
    ADD CONSTRAINT payload_pkey PRIMARY KEY (item_id);

-- CONSTRAINT presence presence_pkey

ALTER TABLE ONLY ingather.presence
    ADD CONSTRAINT presence_pkey PRIMARY KEY (task_id, account_id);

-- CONSTRAINT project project_made_for_key

ALTER TABLE ONLY ingather.project
    ADD CONSTRAINT project_made_for_key UNIQUE (made_for);

-- CONSTRAINT project project_pkey

ALTER TABLE ONLY ingather.project
    ADD CONSTRAINT project_pkey PRIMARY KEY (id);

-- CONSTRAINT queue queue_pkey

ALTER TABLE ONLY ingather.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (name);

-- CONSTRAINT reading reading_pkey

ALTER TABLE ONLY ingather.reading
    ADD CONSTRAINT reading_pkey PRIMARY KEY (id);

-- CONSTRAINT reading reading_sha256_parser_key

ALTER TABLE ONLY ingather.reading
    ADD CONSTRAINT reading_sha256_parser_key UNIQUE (sha256, parser);

-- CONSTRAINT reference_source reference_source_pkey

ALTER TABLE ONLY ingather.reference_source
    ADD CONSTRAINT reference_source_pkey PRIMARY KEY (id);

-- CONSTRAINT report report_pkey

ALTER TABLE ONLY ingather.report
    ADD CONSTRAINT report_pkey PRIMARY KEY (id);

-- CONSTRAINT report report_project_id_sha256_key

ALTER TABLE ONLY ingather.report
    ADD CONSTRAINT report_project_id_sha256_key UNIQUE (project_id, sha256);

-- CONSTRAINT reports_apart reports_apart_pkey

ALTER TABLE ONLY ingather.reports_apart
    ADD CONSTRAINT reports_apart_pkey PRIMARY KEY (one_id, other_id);

-- CONSTRAINT review_mode review_mode_pkey

ALTER TABLE ONLY ingather.review_mode
    ADD CONSTRAINT review_mode_pkey PRIMARY KEY (project_id);

-- CONSTRAINT review review_pkey

ALTER TABLE ONLY ingather.review
    ADD CONSTRAINT review_pkey PRIMARY KEY (id);

-- CONSTRAINT review_questions review_questions_pkey

ALTER TABLE ONLY ingather.review_questions
    ADD CONSTRAINT review_questions_pkey PRIMARY KEY (project_id);

-- CONSTRAINT review review_task_id_ordinal_row_key_field_revision_key

ALTER TABLE ONLY ingather.review
    ADD CONSTRAINT review_task_id_ordinal_row_key_field_revision_key UNIQUE (task_id, ordinal, row_key, field, revision);

-- CONSTRAINT schedule schedule_pkey

ALTER TABLE ONLY ingather.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name);

-- CONSTRAINT segment segment_pkey

ALTER TABLE ONLY ingather.segment
    ADD CONSTRAINT segment_pkey PRIMARY KEY (id);

-- CONSTRAINT session session_pkey

ALTER TABLE ONLY ingather.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (sha256);

-- CONSTRAINT set_aside set_aside_pkey

ALTER TABLE ONLY ingather.set_aside
    ADD CONSTRAINT set_aside_pkey PRIMARY KEY (id);

-- CONSTRAINT sign_in_link sign_in_link_pkey

ALTER TABLE ONLY ingather.sign_in_link
    ADD CONSTRAINT sign_in_link_pkey PRIMARY KEY (sha256);

-- CONSTRAINT study_event study_event_pkey

ALTER TABLE ONLY ingather.study_event
    ADD CONSTRAINT study_event_pkey PRIMARY KEY (id);

-- CONSTRAINT study study_pkey

ALTER TABLE ONLY ingather.study
    ADD CONSTRAINT study_pkey PRIMARY KEY (id);

-- CONSTRAINT tally tally_pkey

ALTER TABLE ONLY ingather.tally
    ADD CONSTRAINT tally_pkey PRIMARY KEY (batch_id, worker_id);

-- CONSTRAINT task task_batch_id_key

ALTER TABLE ONLY ingather.task
    ADD CONSTRAINT task_batch_id_key UNIQUE (batch_id);

-- CONSTRAINT task_document task_document_pkey

ALTER TABLE ONLY ingather.task_document
    ADD CONSTRAINT task_document_pkey PRIMARY KEY (task_id, ordinal);

-- CONSTRAINT task task_pkey

ALTER TABLE ONLY ingather.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (id);

-- CONSTRAINT template template_pkey

ALTER TABLE ONLY ingather.template
    ADD CONSTRAINT template_pkey PRIMARY KEY (id);

-- CONSTRAINT template_version template_version_pkey

ALTER TABLE ONLY ingather.template_version
    ADD CONSTRAINT template_version_pkey PRIMARY KEY (sha256);

-- CONSTRAINT vote_pair vote_pair_pkey

ALTER TABLE ONLY ingather.vote_pair
    ADD CONSTRAINT vote_pair_pkey PRIMARY KEY (id);

-- CONSTRAINT vote_pair vote_pair_task_id_ordinal_row_key_field_key

ALTER TABLE ONLY ingather.vote_pair
    ADD CONSTRAINT vote_pair_task_id_ordinal_row_key_field_key UNIQUE (task_id, ordinal, row_key, field);

-- CONSTRAINT vote vote_pkey

ALTER TABLE ONLY ingather.vote
    ADD CONSTRAINT vote_pkey PRIMARY KEY (id);

-- CONSTRAINT vote vote_task_id_ordinal_row_key_field_side_revision_key

ALTER TABLE ONLY ingather.vote
    ADD CONSTRAINT vote_task_id_ordinal_row_key_field_side_revision_key UNIQUE (task_id, ordinal, row_key, field, side, revision);

-- CONSTRAINT waiting waiting_pkey

ALTER TABLE ONLY ingather.waiting
    ADD CONSTRAINT waiting_pkey PRIMARY KEY (item_id);

-- CONSTRAINT worker worker_pkey

ALTER TABLE ONLY ingather.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (id);

-- INDEX assignment_person

CREATE INDEX assignment_person ON ingather.assignment USING btree (account_id, task_id) WHERE (ended_at IS NULL);

-- INDEX assignment_side

CREATE UNIQUE INDEX assignment_side ON ingather.assignment USING btree (task_id, ordinal, side) WHERE (ended_at IS NULL);

-- INDEX batch_child

CREATE INDEX batch_child ON ingather.batch USING btree (parent_id, id) WHERE (parent_id IS NOT NULL);

-- INDEX batch_closed

CREATE INDEX batch_closed ON ingather.batch USING btree (closed_at) WHERE (state = 'closed'::text);

-- INDEX batch_gathering_child

CREATE INDEX batch_gathering_child ON ingather.batch USING btree (id) WHERE (holds_parent AND (state = 'closed'::text));

-- INDEX batch_holding

CREATE INDEX batch_holding ON ingather.batch USING btree (parent_id) WHERE holds_parent;

-- INDEX batch_open

CREATE INDEX batch_open ON ingather.batch USING btree (id) WHERE (state = 'open'::text);

-- INDEX cell_comment_cell

CREATE INDEX cell_comment_cell ON ingather.cell_comment USING btree (task_id, ordinal);

-- INDEX cell_comment_mentions

CREATE INDEX cell_comment_mentions ON ingather.cell_comment USING gin (mentions) WHERE (resolved_at IS NULL);

-- INDEX document_job

CREATE INDEX document_job ON ingather.document USING btree (job_id);

-- INDEX document_newest

CREATE INDEX document_newest ON ingather.document USING btree (knowledge_base_id, id);

-- INDEX document_sha256

CREATE INDEX document_sha256 ON ingather.document USING btree (sha256);

-- INDEX invitation_project

CREATE INDEX invitation_project ON ingather.invitation USING btree (project_id);

-- INDEX invitation_used_by

CREATE INDEX invitation_used_by ON ingather.invitation USING btree (used_by);

-- INDEX knowledge_base_name

CREATE UNIQUE INDEX knowledge_base_name ON ingather.knowledge_base USING btree (space, lower(name));

-- INDEX lease_queue

CREATE INDEX lease_queue ON ingather.lease USING btree (queue, batch_id);

-- INDEX membership_of_account

CREATE INDEX membership_of_account ON ingather.membership USING btree (account_id);

-- INDEX model_call_answer

CREATE INDEX model_call_answer ON ingather.model_call USING btree (request_sha256) WHERE (answer IS NOT NULL);

-- INDEX model_call_of_task

CREATE INDEX model_call_of_task ON ingather.model_call USING btree (task_id, ordinal);

-- INDEX presence_account

CREATE INDEX presence_account ON ingather.presence USING btree (account_id);

-- INDEX rate_use_window

CREATE INDEX rate_use_window ON ingather.rate_use USING btree (queue, used_at);

-- INDEX reference_source_of_project

CREATE INDEX reference_source_of_project ON ingather.reference_source USING btree (project_id, id);

-- INDEX report_of_project

CREATE INDEX report_of_project ON ingather.report USING btree (project_id, id);

-- INDEX report_of_study

CREATE INDEX report_of_study ON ingather.report USING btree (study_id);

-- INDEX segment_of_batch

CREATE INDEX segment_of_batch ON ingather.segment USING btree (batch_id, id);

-- INDEX segment_ready

CREATE INDEX segment_ready ON ingather.segment USING btree (queue, parked, kind, priority DESC, share, batch_id) WHERE (queue IS NOT NULL);

-- INDEX set_aside_of_task

CREATE INDEX set_aside_of_task ON ingather.set_aside USING btree (task_id);

-- INDEX study_event_of_project

CREATE INDEX study_event_of_project ON ingather.study_event USING btree (project_id, id);

-- INDEX study_event_of_study

CREATE INDEX study_event_of_study ON ingather.study_event USING btree (study_id, id);

-- INDEX study_merged

CREATE INDEX study_merged ON ingather.study USING btree (merged_into) WHERE (merged_into IS NOT NULL);

-- INDEX study_of_project

CREATE INDEX study_of_project ON ingather.study USING btree (project_id, id);

-- INDEX task_document_sha256

CREATE INDEX task_document_sha256 ON ingather.task_document USING btree (sha256);

-- INDEX task_of_project

CREATE INDEX task_of_project ON ingather.task USING btree (project_id, id);

-- INDEX template_of_project

CREATE INDEX template_of_project ON ingather.template USING btree (project_id);

-- INDEX vote_pair_first

CREATE INDEX vote_pair_first ON ingather.vote_pair USING btree (first_id);

-- INDEX vote_pair_open

CREATE INDEX vote_pair_open ON ingather.vote_pair USING btree (task_id, id) WHERE ((NOT is_agreed) AND (settled_at IS NULL));

-- INDEX vote_pair_second

CREATE INDEX vote_pair_second ON ingather.vote_pair USING btree (second_id);

-- INDEX waiting_ready

CREATE INDEX waiting_ready ON ingather.waiting USING btree (queue, parked, kind, run_at);

-- TRIGGER segment fill_kind

CREATE TRIGGER fill_kind BEFORE INSERT ON ingather.segment FOR EACH ROW WHEN ((new.kind IS NULL)) EXECUTE FUNCTION ingather.fill_kind();

-- TRIGGER waiting fill_kind

CREATE TRIGGER fill_kind BEFORE INSERT ON ingather.waiting FOR EACH ROW WHEN ((new.kind IS NULL)) EXECUTE FUNCTION ingather.fill_kind();

-- FK CONSTRAINT api_token api_token_account_id_fkey

ALTER TABLE ONLY ingather.api_token
    ADD CONSTRAINT api_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES ingather.account(id) ON DELETE CASCADE;

-- FK CONSTRAINT api_token api_token_project_id_fkey

ALTER TABLE ONLY ingather.api_token
    ADD CONSTRAINT api_token_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT assignment assignment_task_id_ordinal_fkey

ALTER TABLE ONLY ingather.assignment
    ADD CONSTRAINT assignment_task_id_ordinal_fkey FOREIGN KEY (task_id, ordinal) REFERENCES ingather.task_document(task_id, ordinal) ON DELETE CASCADE;

-- FK CONSTRAINT batch batch_queue_fkey

ALTER TABLE ONLY ingather.batch
    ADD CONSTRAINT batch_queue_fkey FOREIGN KEY (queue) REFERENCES ingather.queue(name);

-- FK CONSTRAINT cell_comment cell_comment_task_id_ordinal_fkey

ALTER TABLE ONLY ingather.cell_comment
    ADD CONSTRAINT cell_comment_task_id_ordinal_fkey FOREIGN KEY (task_id, ordinal) REFERENCES ingather.task_document(task_id, ordinal) ON DELETE CASCADE;

-- FK CONSTRAINT document document_knowledge_base_id_fkey

ALTER TABLE ONLY ingather.document
    ADD CONSTRAINT document_knowledge_base_id_fkey FOREIGN KEY (knowledge_base_id) REFERENCES ingather.knowledge_base(id) ON DELETE CASCADE;

-- FK CONSTRAINT document document_sha256_fkey

ALTER TABLE ONLY ingather.document
    ADD CONSTRAINT document_sha256_fkey FOREIGN KEY (sha256) REFERENCES ingather.blob(sha256);

-- FK CONSTRAINT invitation invitation_project_id_fkey

ALTER TABLE ONLY ingather.invitation
    ADD CONSTRAINT invitation_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT invitation invitation_used_by_fkey

ALTER TABLE ONLY ingather.invitation
    ADD CONSTRAINT invitation_used_by_fkey FOREIGN KEY (used_by) REFERENCES ingather.account(id) ON DELETE SET NULL;

-- FK CONSTRAINT membership membership_account_id_fkey

ALTER TABLE ONLY ingather.membership
    ADD CONSTRAINT membership_account_id_fkey FOREIGN KEY (account_id) REFERENCES ingather.account(id) ON DELETE CASCADE;

-- FK CONSTRAINT membership membership_project_id_fkey

ALTER TABLE ONLY ingather.membership
    ADD CONSTRAINT membership_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT model_call model_call_task_id_fkey

ALTER TABLE ONLY ingather.model_call
    ADD CONSTRAINT model_call_task_id_fkey FOREIGN KEY (task_id) REFERENCES ingather.task(id) ON DELETE CASCADE;

-- FK CONSTRAINT page page_reading_id_fkey

ALTER TABLE ONLY ingather.page
    ADD CONSTRAINT page_reading_id_fkey FOREIGN KEY (reading_id) REFERENCES ingather.reading(id) ON DELETE CASCADE;

-- FK CONSTRAINT presence presence_account_id_fkey

ALTER TABLE ONLY ingather.presence
    ADD CONSTRAINT presence_account_id_fkey FOREIGN KEY (account_id) REFERENCES ingather.account(id) ON DELETE CASCADE;

-- FK CONSTRAINT presence presence_task_id_fkey

ALTER TABLE ONLY ingather.presence
    ADD CONSTRAINT presence_task_id_fkey FOREIGN KEY (task_id) REFERENCES ingather.task(id) ON DELETE CASCADE;

-- FK CONSTRAINT reading reading_sha256_fkey

ALTER TABLE ONLY ingather.reading
    ADD CONSTRAINT reading_sha256_fkey FOREIGN KEY (sha256) REFERENCES ingather.blob(sha256) ON DELETE CASCADE;

-- FK CONSTRAINT reference_source reference_source_project_id_fkey

ALTER TABLE ONLY ingather.reference_source
    ADD CONSTRAINT reference_source_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT report report_project_id_fkey

ALTER TABLE ONLY ingather.report
    ADD CONSTRAINT report_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT report report_same_as_fkey

ALTER TABLE ONLY ingather.report
    ADD CONSTRAINT report_same_as_fkey FOREIGN KEY (same_as) REFERENCES ingather.report(id);

-- FK CONSTRAINT report report_source_id_fkey

ALTER TABLE ONLY ingather.report
    ADD CONSTRAINT report_source_id_fkey FOREIGN KEY (source_id) REFERENCES ingather.reference_source(id);

-- FK CONSTRAINT report report_study_id_fkey

ALTER TABLE ONLY ingather.report
    ADD CONSTRAINT report_study_id_fkey FOREIGN KEY (study_id) REFERENCES ingather.study(id);

-- FK CONSTRAINT reports_apart reports_apart_one_id_fkey

ALTER TABLE ONLY ingather.reports_apart
    ADD CONSTRAINT reports_apart_one_id_fkey FOREIGN KEY (one_id) REFERENCES ingather.report(id) ON DELETE CASCADE;

-- FK CONSTRAINT reports_apart reports_apart_other_id_fkey

ALTER TABLE ONLY ingather.reports_apart
    ADD CONSTRAINT reports_apart_other_id_fkey FOREIGN KEY (other_id) REFERENCES ingather.report(id) ON DELETE CASCADE;

-- FK CONSTRAINT review_mode review_mode_project_id_fkey

ALTER TABLE ONLY ingather.review_mode
    ADD CONSTRAINT review_mode_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT review_questions review_questions_project_id_fkey

ALTER TABLE ONLY ingather.review_questions
    ADD CONSTRAINT review_questions_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT review review_task_id_ordinal_fkey

ALTER TABLE ONLY ingather.review
    ADD CONSTRAINT review_task_id_ordinal_fkey FOREIGN KEY (task_id, ordinal) REFERENCES ingather.task_document(task_id, ordinal) ON DELETE CASCADE;

-- FK CONSTRAINT segment segment_batch_id_fkey

ALTER TABLE ONLY ingather.segment
    ADD CONSTRAINT segment_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES ingather.batch(id);

-- FK CONSTRAINT session session_account_id_fkey

ALTER TABLE ONLY ingather.session
    ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES ingather.account(id) ON DELETE CASCADE;

-- FK CONSTRAINT set_aside set_aside_task_id_fkey

ALTER TABLE ONLY ingather.set_aside
    ADD CONSTRAINT set_aside_task_id_fkey FOREIGN KEY (task_id) REFERENCES ingather.task(id) ON DELETE CASCADE;

-- FK CONSTRAINT sign_in_link sign_in_link_account_id_fkey

ALTER TABLE ONLY ingather.sign_in_link
    ADD CONSTRAINT sign_in_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES ingather.account(id) ON DELETE CASCADE;

-- FK CONSTRAINT study_event study_event_project_id_fkey

ALTER TABLE ONLY ingather.study_event
    ADD CONSTRAINT study_event_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT study_event study_event_study_id_fkey

ALTER TABLE ONLY ingather.study_event
    ADD CONSTRAINT study_event_study_id_fkey FOREIGN KEY (study_id) REFERENCES ingather.study(id);

-- FK CONSTRAINT study study_merged_into_fkey

ALTER TABLE ONLY ingather.study
    ADD CONSTRAINT study_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES ingather.study(id);

-- FK CONSTRAINT study study_project_id_fkey

ALTER TABLE ONLY ingather.study
    ADD CONSTRAINT study_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT task_document task_document_sha256_fkey

ALTER TABLE ONLY ingather.task_document
    ADD CONSTRAINT task_document_sha256_fkey FOREIGN KEY (sha256) REFERENCES ingather.blob(sha256);

-- FK CONSTRAINT task_document task_document_task_id_fkey

ALTER TABLE ONLY ingather.task_document
    ADD CONSTRAINT task_document_task_id_fkey FOREIGN KEY (task_id) REFERENCES ingather.task(id) ON DELETE CASCADE;

-- FK CONSTRAINT task task_follows_id_fkey

ALTER TABLE ONLY ingather.task
    ADD CONSTRAINT task_follows_id_fkey FOREIGN KEY (follows_id) REFERENCES ingather.task(id) ON DELETE SET NULL;

-- FK CONSTRAINT task task_project_id_fkey

ALTER TABLE ONLY ingather.task
    ADD CONSTRAINT task_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id);

-- FK CONSTRAINT task task_template_sha256_fkey

ALTER TABLE ONLY ingather.task
    ADD CONSTRAINT task_template_sha256_fkey FOREIGN KEY (template_sha256) REFERENCES ingather.template_version(sha256);

-- FK CONSTRAINT template template_project_id_fkey

ALTER TABLE ONLY ingather.template
    ADD CONSTRAINT template_project_id_fkey FOREIGN KEY (project_id) REFERENCES ingather.project(id) ON DELETE CASCADE;

-- FK CONSTRAINT template template_sha256_fkey

ALTER TABLE ONLY ingather.template
    ADD CONSTRAINT template_sha256_fkey FOREIGN KEY (sha256) REFERENCES ingather.template_version(sha256);

-- FK CONSTRAINT vote_pair vote_pair_first_id_fkey

ALTER TABLE ONLY ingather.vote_pair
    ADD CONSTRAINT vote_pair_first_id_fkey FOREIGN KEY (first_id) REFERENCES ingather.vote(id) ON DELETE CASCADE;

-- FK CONSTRAINT vote_pair vote_pair_second_id_fkey

ALTER TABLE ONLY ingather.vote_pair
    ADD CONSTRAINT vote_pair_second_id_fkey FOREIGN KEY (second_id) REFERENCES ingather.vote(id) ON DELETE CASCADE;

-- FK CONSTRAINT vote_pair vote_pair_task_id_ordinal_fkey

ALTER TABLE ONLY ingather.vote_pair
    ADD CONSTRAINT vote_pair_task_id_ordinal_fkey FOREIGN KEY (task_id, ordinal) REFERENCES ingather.task_document(task_id, ordinal) ON DELETE CASCADE;

-- FK CONSTRAINT vote vote_task_id_ordinal_fkey

ALTER TABLE ONLY ingather.vote
    ADD CONSTRAINT vote_task_id_ordinal_fkey FOREIGN KEY (task_id, ordinal) REFERENCES ingather.task_document(task_id, ordinal) ON DELETE CASCADE;
