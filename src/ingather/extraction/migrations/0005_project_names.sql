-- A name is for the people of a project. Were it unique over all projects, whoever is refused one would learn that it
-- exists elsewhere. Older code works without the constraint: it only refuses less.
alter table ingather.project drop constraint project_name_key;

-- How a program finds the project it has for itself again, whatever people call theirs.
alter table ingather.project add column made_for text unique check (made_for ~ '^[a-z][a-z0-9_]{0,62}$');
