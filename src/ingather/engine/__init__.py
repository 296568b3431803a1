"""The engine: durable batch tasks on PostgreSQL. Knows no document, no prompt, no model and no HTTP."""
