-- A follow-up begins with the findings and the reviews of an earlier task and asks what is named here: fields, and
-- which of the cells without an answer. Older code does not look at either column.
alter table ingather.task add column follows_id bigint references ingather.task (id) on delete set null;
alter table ingather.task add column again jsonb check ((again is null) or jsonb_typeof(again) = 'object');
