"""`ingather doctor`: is everything in order, and if not, what should be done?"""

from argparse import Namespace

from ingather.app import Ingather
from ingather.cli.answers import as_json, plain, say, table
from ingather.cli.doctor.checks import Finding, Patient
from ingather.cli.doctor.checks import examine as examine_all
from ingather.engine.connection import connect
from ingather.engine.errors import DatabaseUnavailable


def examine(arguments: Namespace) -> int:
    try:
        with connect(Ingather().url, application_name="ingather doctor") as conn:
            found = examine_all(Patient(conn))
    except DatabaseUnavailable as error:
        found = [Finding("server", "wrong", str(error))]
    wrong, unknown = (sum(finding.word == word for finding in found) for word in ("wrong", "unknown"))
    is_well = not wrong and not unknown
    if arguments.json:
        as_json({"ok": is_well, "findings": plain(found)})
    else:
        # What matters first: a tired reader sees the top of the list.
        order = ("wrong", "unknown", "note", "ok")
        found.sort(key=lambda finding: order.index(finding.word))
        table(("check", "word", "finding"), ((f.check, f.word, f.sentence) for f in found), empty="")
        blind = f" {unknown} could not be made." if unknown else ""
        say("\nNothing is wrong." if is_well else f"\n{wrong} of {len(found)} checks found something wrong.{blind}")
    return 0 if is_well else 1
