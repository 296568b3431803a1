"""A line that no person wrote is read in one pass: the time limit of a test is what holds it."""

from ingather.extraction.proof.figures import printed_figures

# Read from each of its places to its end, this would take hours.
LONG = 150_000


def test_a_long_run_of_dotted_figures_is_read_once() -> None:
    found = printed_figures("0.0" * LONG + " of 12 people")
    assert [figure.value for figure in found if figure.value == 12]
