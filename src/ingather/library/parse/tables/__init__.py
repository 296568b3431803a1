"""Tables of a page, from its characters, boxes and drawn lines alone.

Each module is one idea: `marks` (what a page gives), `ink` (lines and shaded
areas among its drawn paths), `words`, `captions`, `regions` (where a table
begins and ends), `lattice` (cells from ruled lines), `gutters` (columns from
white space), `rows` (lines that are one row), `headers` (which header stands
over which columns), `labels` (which label stands over which row), `notes`
(footnotes), `carry` (tables that go on over pages), `reader` (all of these
put together), `markup` (tables of Markdown and HTML).
"""
