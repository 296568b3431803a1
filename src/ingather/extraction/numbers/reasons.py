"""Why a question about numbers has no answer, or how a number came about: sentences for readers. Pure."""

from typing import Final

from ingather.notice import notice

BASELINE_ONLY: Final = notice("numbers.baseline_only", "The paper gives it at baseline only.")
COUNTS: Final = notice("numbers.counts", "The cells hold counts.")
MEDIAN: Final = notice("numbers.median", "The cells hold a median and no mean.")
MODEL_DIFFERS: Final = notice("numbers.model_differs", "The model chose other cells than the rules.")
MODEL_NAMED: Final = notice("numbers.model_named", "A model named the cells; the numbers are read from them.")
MODEL_NO_CELL: Final = notice("numbers.model_no_cell", "The model named no cell for one of the arms.")
MODEL_NOWHERE: Final = notice("numbers.model_nowhere", "The model found it in no table.")
MODEL_SEVERAL_TABLES: Final = notice("numbers.model_several_tables", "The model named cells of several tables.")
MODEL_UNDECIDED: Final = notice("numbers.model_undecided", "The model could not decide.")
NAMES_DIFFER: Final = notice("numbers.names_differ", "The names of this outcome lead to different numbers.")
NO_ARM_IN_LABELS: Final = notice(
    "numbers.no_arm_in_labels", "Nothing in the labels says that these cells are of these two arms."
)
NO_COUNTS: Final = notice("numbers.no_counts", "The cells are no counts.")
NO_FITTING_N: Final = notice("numbers.no_fitting_n", "N of the arm is not given, or not one that fits the percentage.")
NO_MEAN_SD: Final = notice("numbers.no_mean_sd", "The cells give no mean with an SD.")
NO_N: Final = notice("numbers.no_n", "N of the arm is not given.")
NO_SINGLE_N: Final = notice("numbers.no_single_n", "N of the arm is not given, or given as several numbers.")
NOT_SD: Final = notice("numbers.not_sd", "It is not said that the second number is an SD.")
NOWHERE: Final = notice("numbers.nowhere", "No table and no sentence gives this outcome for both arms.")
ONLY_PERCENT: Final = notice("numbers.only_percent", "Only a percentage is given.")
OTHER_ARM: Final = notice("numbers.other_arm", "The labels of these cells name the other arm.")
OTHER_OUTCOME: Final = notice("numbers.other_outcome", "The labels of these cells do not name the outcome.")
OTHER_TIME: Final = notice("numbers.other_time", "The labels of these cells name another time.")
OTHER_TIMES: Final = notice("numbers.other_times", "The paper gives it at other times only.")
PERCENT_DISAGREES: Final = notice(
    "numbers.percent_disagrees", "The percentage does not agree with the fraction beside it."
)
SD_OR_SE: Final = notice("numbers.sd_or_se", "It is not said whether the second number is an SD or an SE.")
SENTENCES_DIFFER: Final = notice("numbers.sentences_differ", "Several sentences give other numbers.")
SEVERAL_ROWS: Final = notice("numbers.several_rows", "Several rows name the outcome about as well.")


def reason_second_unclear(*, source: str) -> str:
    return notice("numbers.second_unclear", "It is not clear from {source} what the second number is.", source=source)


def reason_second_is_other(*, what: str) -> str:
    return notice("numbers.second_is_other", "The second number is {what} and no SD.", what=what)


def reason_worked_out(*, percent: str, n: str, events: str) -> str:
    return notice("numbers.worked_out", "{percent} % of {n} can only be {events}.", percent=percent, n=n, events=events)


def reason_of_fewer(*, events: str, percent: str, n: str) -> str:
    return notice(
        "numbers.of_fewer", "{events} is {percent} % of fewer than the {n} of the arm.",
        events=events, percent=percent, n=n,
    )  # fmt: skip


def reason_other_denominator(*, events: str, n: str, percent: str) -> str:
    return notice(
        "numbers.other_denominator",
        "{events} of {n} is not {percent} %: the percentage has another denominator.",
        events=events,
        n=n,
        percent=percent,
    )


def reason_several_n(*, ns: str) -> str:
    return notice("numbers.several_n", "N of the arm is given as {ns}.", ns=ns)


def reason_model_silent(*, why: str) -> str:
    return notice("numbers.model_silent", "The model gave no answer: {why}", why=why)


def reason_model_nowhere_read(*, count: int) -> str:
    return notice("numbers.model_nowhere_read", "The model found it in no table; {count} had no room.", count=count)


def reason_model_unknown_cell(*, cell: str) -> str:
    return notice("numbers.model_unknown_cell", "The model named a cell that is not there: {cell}.", cell=cell)


def reason_model_typed_other(*, name: str, value: str, read: str) -> str:
    return notice(
        "numbers.model_typed_other",
        "The model typed {name} = {value} beside cells that say {read}.",
        name=name,
        value=value,
        read=read,
    )
