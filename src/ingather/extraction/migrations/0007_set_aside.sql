-- Money set aside for calls that are under way, so that a spending cap holds however many are made at once.
create table ingather.set_aside (
    id      bigint generated always as identity primary key,
    task_id bigint not null references ingather.task (id) on delete cascade,
    amount  numeric not null check (amount >= 0),
    until   timestamptz not null               -- no call takes longer; whoever made it died and left this behind
);
create index set_aside_of_task on ingather.set_aside (task_id);
