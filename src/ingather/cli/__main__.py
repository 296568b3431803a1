"""`python -m ingather.cli` is `ingather`."""

import sys

from ingather.cli import main

if __name__ == "__main__":
    sys.exit(main())
