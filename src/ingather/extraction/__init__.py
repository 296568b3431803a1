"""Extraction: templates, models and quotes; a stack of documents becomes a table in which every value is proved."""
