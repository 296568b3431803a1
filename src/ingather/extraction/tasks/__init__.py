"""Tasks: projects, templates and runs in the database, and the engine's item that reads one document."""
