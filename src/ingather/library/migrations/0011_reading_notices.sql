-- The sentence of a reading is stored with the id and the parameters of its notice beside it, so that a page in another
-- language finds its own text. Readings from before this change have text alone.
alter table ingather.reading add column notice jsonb;
