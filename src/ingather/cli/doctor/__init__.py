"""`ingather doctor`: is everything in order, and if not, what should be done?"""

from argparse import Namespace
from subprocess import SubprocessError

from ingather.app import Ingather
from ingather.cli.doctor.checks import CheckResult, ExaminedDatabase, run_checks
from ingather.cli.output import output_json, output_sentence, output_table
from ingather.engine.connection import connect
from ingather.engine.errors import DatabaseUnavailable
from ingather.library.parse import protections_missing_in_jail

# This is what code in a file gains where a protection is missing.
WHAT_IS_OPEN = {
    "user": "its rights are those of root",
    "files": "this system's kernel cannot close files to it (Landlock, Linux 5.13 or newer)",
    "system calls": "this system cannot close network and processes to it (seccomp on x86_64 or aarch64)",
}
MISSING = "Code hidden in a file could reach more than it should: {}. Read files of strangers on another machine."
STILL_ROOT = (
    "Files are read by a process without network, other files or other processes. It stays root without root's "
    "rights, because Python stands where only root may read."
)


def doctor_command(arguments: Namespace) -> int:
    app = Ingather()
    try:
        with connect(app.url, application_name="ingather doctor") as conn:
            found = [*run_checks(ExaminedDatabase(conn), app.keep), parser_for_doctor()]
    except DatabaseUnavailable as error:
        found = [CheckResult("server", "wrong", str(error))]
    wrong, unknown = (sum(result.level == level for result in found) for level in ("wrong", "unknown"))
    is_well = not wrong and not unknown
    if arguments.json:
        findings = [{"check": one.check, "level": one.level, "sentence": one.sentence} for one in found]
        output_json({"ok": is_well, "findings": findings})
    else:
        # The worst findings come first: a tired reader sees the top of the list.
        order = ("wrong", "unknown", "note", "ok")
        found.sort(key=lambda result: order.index(result.level))
        output_table(("check", "level", "finding"), ((f.check, f.level, f.sentence) for f in found), empty="")
        blind = f" {unknown} could not be made." if unknown else ""
        output_sentence(
            "\nNothing is wrong." if is_well else f"\n{wrong} of {len(found)} checks found something wrong.{blind}"
        )
    return 0 if is_well else 1


def parser_for_doctor() -> CheckResult:
    """Whether code hidden in a file could reach anything from the process that reads it."""
    try:
        missing = protections_missing_in_jail()
    except (OSError, ValueError, SubprocessError) as error:
        return CheckResult("parser", "unknown", f"The reader of files could not be started: {error}")
    if "files" in missing or "system calls" in missing:
        return CheckResult("parser", "wrong", MISSING.format(" and ".join(WHAT_IS_OPEN[name] for name in missing)))
    if missing:
        return CheckResult("parser", "note", STILL_ROOT)
    return CheckResult("parser", "ok", "Files are read by a process without network, other files or other processes.")
