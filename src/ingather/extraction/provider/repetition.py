"""Whether a model has begun to write the same thing again and again. Pure."""

# A block that stands this often in a row is a loop. Three rows of a table may be alike by chance.
LEAST_TIMES = 4
# Characters that a loop must fill in all, so that a row of dashes or zeros is none.
LEAST_LENGTH = 400
# The longest block that is looked for: an entry of a list with its quote. Longer ones cost more to look for.
LONGEST_BLOCK = 2_000


def loop_start(text: str) -> int | None:
    """Where the repetition begins that a text ends with, after one whole block; None where it ends with none.

    A block is found by its last characters: where they stood before tells
    the only lengths it can have.
    """
    end = len(text)
    if end < LEAST_LENGTH:
        return None
    mark = text[-24:]
    place = end - len(mark)
    while True:
        place = text.rfind(mark, max(0, end - LONGEST_BLOCK - len(mark)), place + len(mark) - 1)
        if place < 0:
            return None
        block = end - len(mark) - place
        least = max(LEAST_TIMES * block, LEAST_LENGTH)
        if end >= least and text[end - least : end - block] == text[end - least + block :]:
            start = end - least
            while start > 0 and text[start - 1] == text[start - 1 + block]:
                start -= 1
            return start + block
