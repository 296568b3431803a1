"""The library: knowledge bases, documents, files, and the text of their pages. Other rooms see only `port`."""
