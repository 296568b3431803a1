"""The proof of a value: answers become findings once their quotes and values were checked against the text."""
