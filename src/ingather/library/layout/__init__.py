"""Tables from a layout parser that runs as a server, MinerU or docling-serve, held against the file's own text."""
