"""Tables of a page, from its characters, boxes and drawn lines alone.

Each module is one idea: `marks` (what a page gives), `ink` (lines and shaded
areas among its drawn paths), `tokens`, `captions`, `pictures` (what is drawn and not set), `found_regions` (where
a table begins and ends), `unruled` (tables that no rules enclose), `growth`
(how far a table goes on where no rule ends it), `continued` (what goes on at
the top of the next page or column),
`lattice` (cells from ruled lines), `gutters` (columns from white space),
`rows` (lines that are one row), `ruled_rows` (rows between rules),
`parted_labels` (labels of several rows told apart), `header_end` (where the header ends),
`headers` (which header stands over which columns), `row_labels` (which label
stands over which row), `notes` (footnotes), `cell_grid` (these make a grid),
`carry` (tables that go on over pages), `finish` (a grid made a table),
`reader` (a page from end to end), `markup` (tables of Markdown and HTML).
"""
