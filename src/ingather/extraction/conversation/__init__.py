"""The conversation with a model about one document: what is asked, in which parts, and how its answers are read."""
