-- What people call a task, and when they have put it away. Older code does not look at either column.
alter table ingather.task add column name text check (char_length(name) between 1 and 200);
alter table ingather.task add column archived_at timestamptz;
