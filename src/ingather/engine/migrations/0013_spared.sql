-- How often an item was spared in a row when it died with others: each time, it comes back at a moment that is more its
-- own. Null where it never was, so that most leases take no room for it.
alter table ingather.waiting add column spared smallint;
alter table ingather.lease add column spared smallint;
