-- Sentences for people are stored as English text with the id and the parameters of their notice beside it, so that
-- a page in another language finds its own text. Rows from before this change have text alone.
alter table ingather.task add column pause_notice jsonb;
alter table ingather.model_call add column notice jsonb;
