"""The conversation with a model about one document: questions, parts of the document, and how answers are read."""
