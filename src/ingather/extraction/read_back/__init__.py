"""Reading back: an export that was edited in a spreadsheet, as proposed reviews, and what cannot be placed."""
