"""The embedded PostgreSQL: shared, killed, full, foreign, and still there."""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

import ingather
from ingather import embedded
from ingather.embedded import binaries, identity, locks, places, postmaster, server, watch
from ingather.embedded.errors import EmbeddedError
from ingather.embedded.identity import Identity
from ingather.engine.engine import Engine
from ingather.engine.migrations import migrate

IS_ROOT = os.geteuid() == 0
QUICK = {"fsync": "off"}

HOLD = """
    import sys, psycopg
    from pathlib import Path
    from ingather import embedded
    server = embedded.start(Path(sys.argv[1]), settings={"fsync": "off"})
    print(server.url, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def used_home() -> Iterator[Path]:
    """A home whose data was made once, since that takes a second."""
    home = Path(tempfile.mkdtemp(prefix="ingather-test-"))
    home.chmod(0o755)
    with embedded.start(home, settings=QUICK):
        pass
    yield home
    shutil.rmtree(home)


@pytest.fixture
def home(used_home: Path) -> Iterator[Path]:
    """A home with data, whose server does not run."""
    yield used_home
    embedded.stop(used_home)


@pytest.fixture
def empty() -> Iterator[Path]:
    """A home without data, at a short path that every user can reach."""
    home = Path(tempfile.mkdtemp(prefix="ingather-test-"))
    home.chmod(0o755)
    yield home
    embedded.stop(home)
    shutil.rmtree(home)


@dataclass
class Processes:
    """Python processes that hold a server until they are told to leave, or are killed."""

    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def spawn(self, home: Path, code: str = HOLD, **env: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
        )
        self.running.append(process)
        return process

    def hold(self, home: Path, code: str = HOLD, **env: str) -> subprocess.Popen[str]:
        process = self.spawn(home, code, **env)
        assert process.stdout is not None
        assert process.stdout.readline().startswith("postgresql://")
        return process


@pytest.fixture
def processes() -> Iterator[Processes]:
    started = Processes()
    yield started
    for process in started.running:
        process.kill()
        process.communicate()


def leave(process: subprocess.Popen[str]) -> None:
    process.communicate("\n", timeout=30)
    assert process.returncode == 0


def postmaster_pid(home: Path) -> int:
    return int((places.Places.of(home).data / "postmaster.pid").read_text().splitlines()[0])


def kill_server(home: Path) -> None:
    """Kills every process of the server, and waits until the kernel has let go of them."""
    pid = postmaster_pid(home)
    children = [int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat") if parent_of(stat) == pid]
    for victim in (pid, *children):
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
    eventually(lambda: not locks.is_held(places.Places.of(home).server_lock))


def parent_of(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def eventually(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not come true"
        time.sleep(0.01)


def query(url: str, text: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(text.encode())
        return cursor.fetchall() if cursor.description else []


def write(url: str) -> None:
    query(url, "drop table if exists kept")
    query(url, "create table kept as select 'hay' as word")


# Starting and stopping


def test_a_first_start_makes_a_database_and_the_last_close_stops_it(empty: Path) -> None:
    with embedded.start(empty) as held:
        assert embedded.url_if_running(empty) == held.url
        assert query(held.url, "select current_database(), pg_encoding_to_char(encoding) from pg_database limit 1") == [
            ("ingather", "UTF8")
        ]
        assert (held.data / "PG_VERSION").exists()
        assert "ready to accept connections" in held.log.read_text()
        assert (held.binaries / "pg_dump").exists()
    assert embedded.url_if_running(empty) is None
    assert not (held.data / "postmaster.pid").exists()


def test_a_commit_survives_a_crash_unless_asked_otherwise(home: Path) -> None:
    with embedded.start(home) as held:
        options = (
            "select current_setting('fsync'), current_setting('synchronous_commit'), current_setting('max_connections')"
        )
        assert query(held.url, options) == [("on", "on", "200")]


def test_nobody_is_let_in_over_a_network(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as held:
        assert query(held.url, "show listen_addresses") == [("",)]
        hosts = "select distinct auth_method from pg_hba_file_rules where type = 'host'"
        assert query(held.superuser_url, hosts) == [("reject",)]


@pytest.mark.skipif(not IS_ROOT, reason="takes another user")
def test_another_user_is_not_let_in_even_where_the_folder_is_open(empty: Path) -> None:
    """A home at a path that everybody may pass, and a socket folder that somebody opened by mistake."""
    with embedded.start(empty, settings=QUICK) as held:
        found = places.Places.of(empty)
        for folder in (empty, found.root, found.sockets):
            folder.chmod(0o755)
        found.socket.chmod(0o777)
        refusal = refusal_as("daemon", held.url)
        assert "Peer authentication failed" in refusal, (refusal, found)
        assert query(held.url, "select 1") == [(1,)]


def test_processes_of_a_home_may_use_its_tables_and_neither_files_nor_programs(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as held:
        write(held.url)
        assert query(held.url, "select rolsuper, rolcreaterole from pg_roles where rolname = current_user") == [
            (False, False)
        ]
        for attempt in ("copy kept to program 'true'", "copy kept from '/etc/hostname'", "create role another"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                query(held.url, attempt)


def test_a_home_of_before_is_handed_over_whole_and_closed(home: Path) -> None:
    """Its tables belong to the superuser, and its socket lets in whoever reaches it."""
    tables = "select count(*) from pg_tables where schemaname = 'ingather' and tableowner <> 'ingather'"
    with embedded.start(home, settings=QUICK) as held:
        query(held.superuser_url, "alter database ingather owner to postgres")
        migrate(held.superuser_url)
        assert query(held.url, tables) != [(0,)]
    (home / "postgres/data/pg_hba.conf").write_text("local all all trust\n")

    with embedded.start(home, settings=QUICK) as held:
        assert query(held.url, tables) == [(0,)]
        assert query(held.superuser_url, "select distinct auth_method from pg_hba_file_rules where type = 'local'") == [
            ("peer",)
        ]
        assert migrate(held.url) == []
        engine = Engine(held.url)
        engine.handler("shout")(str.upper)
        assert engine.submit("shout", "hay").id


def refusal_as(user: str, url: str) -> str:
    """What another user is answered who connects; empty where they are let in."""
    reading, writing = os.pipe()
    found = pwd.getpwnam(user)
    if (child := os.fork()) == 0:
        os.setgroups([])
        os.setgid(found.pw_gid)
        os.setuid(found.pw_uid)
        try:
            psycopg.connect(url)
        except psycopg.Error as refused:
            os.write(writing, str(refused).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        return answer.read()


def test_words_of_every_language_compare_and_fold_by_code_point(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as held:
        assert query(held.url, "select lower('ÄΩ'), 'a' > 'Z', length('文献')") == [("äω", True, 2)]


def test_a_home_that_is_made_is_for_its_user_alone(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    try:
        with embedded.start(home, settings=QUICK):
            # Root's server runs as somebody else, who may pass through and not look around.
            assert home.stat().st_mode & 0o777 == (0o711 if IS_ROOT else 0o700)
            assert (home / "postgres").stat().st_mode & 0o066 == 0
    finally:
        embedded.stop(home)


def test_a_second_start_finds_what_the_first_one_wrote(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as held:
        write(held.url)
    with embedded.start(home, settings=QUICK) as held:
        assert query(held.url, "select word from kept") == [("hay",)]


def test_settings_reach_the_server_but_not_the_way_to_it(home: Path) -> None:
    with embedded.start(home, settings={"work_mem": "7MB", "port": "1", **QUICK}) as held:
        assert query(held.url, "show work_mem") == [("7MB",)]


def test_an_unknown_setting_is_named_and_leaves_no_server(home: Path) -> None:
    with pytest.raises(EmbeddedError, match=r"a setting is unknown(.|\n)*no_such_setting"):
        embedded.start(home, settings={"no_such_setting": "1"})
    assert embedded.url_if_running(home) is None
    with embedded.start(home, settings=QUICK):
        pass


def test_a_kept_server_outlives_its_process_until_it_is_stopped(home: Path, processes: Processes) -> None:
    leave(processes.hold(home, HOLD.replace("settings=", "keep=True, settings=")))
    with embedded.start(home):
        pass
    assert embedded.url_if_running(home)

    assert embedded.stop(home) is True
    assert embedded.url_if_running(home) is None
    assert embedded.stop(home) is False
    with embedded.start(home, settings=QUICK):
        pass
    assert embedded.url_if_running(home) is None


def test_nothing_runs_and_nothing_is_made_in_a_home_never_started(tmp_path: Path) -> None:
    assert embedded.url_if_running(tmp_path / "none") is None
    assert embedded.stop(tmp_path / "none") is False
    assert not (tmp_path / "none").exists()


# Sharing


def test_two_processes_share_one_server_and_the_last_one_out_stops_it(home: Path, processes: Processes) -> None:
    one = processes.hold(home)
    pid = postmaster_pid(home)
    two = processes.hold(home)
    assert postmaster_pid(home) == pid

    leave(one)
    assert embedded.url_if_running(home)
    leave(two)
    assert embedded.url_if_running(home) is None


def test_two_holds_in_one_process_are_two(home: Path) -> None:
    one, two = embedded.start(home, settings=QUICK), embedded.start(home)
    one.close()
    one.close()
    assert embedded.url_if_running(home)
    two.close()
    assert embedded.url_if_running(home) is None


def test_four_simultaneous_first_starts_make_one_server(empty: Path, processes: Processes) -> None:
    starting = [processes.spawn(empty) for _ in range(4)]
    urls = {process.stdout.readline() for process in starting if process.stdout}
    assert len(urls) == 1
    assert urls != {""}
    for process in starting:
        leave(process)
    assert embedded.url_if_running(empty) is None
    assert (empty / "postgres/server.log").read_text().count("starting PostgreSQL") == 1


def test_a_forked_child_cannot_close_its_parents_hold(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as held:
        child = os.fork()
        if child == 0:
            held.close()
            os._exit(0)
        os.waitpid(child, 0)
        with embedded.start(home):
            pass
        assert embedded.url_if_running(home)


def test_waiting_for_another_start_ends(home: Path) -> None:
    lock = home / "postgres/start.lock"
    with (
        locks.starting(lock),
        pytest.raises(EmbeddedError, match="Another process has been starting"),
        locks.starting(lock, seconds=0.1),
    ):
        pass


# Killing


def test_a_killed_holder_neither_stops_the_server_nor_keeps_it(home: Path, processes: Processes) -> None:
    one, two = processes.hold(home), processes.hold(home)
    one.kill()
    one.wait()
    assert embedded.url_if_running(home)
    leave(two)
    assert embedded.url_if_running(home) is None


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_left_behind_is_joined_and_then_stopped(
    home: Path, processes: Processes, kind: signal.Signals
) -> None:
    only = processes.hold(home)
    pid = postmaster_pid(home)
    only.send_signal(kind)
    only.wait()
    assert embedded.url_if_running(home)

    with embedded.start(home):
        assert postmaster_pid(home) == pid
    assert embedded.url_if_running(home) is None


def test_after_kill_9_of_everything_the_next_start_recovers(home: Path, processes: Processes) -> None:
    only = processes.hold(home)
    url = embedded.url_if_running(home)
    assert url
    write(url)
    only.kill()
    kill_server(home)

    with embedded.start(home) as held:
        assert query(held.url, "select word from kept") == [("hay",)]


def test_after_kill_9_of_the_postmaster_its_orphans_are_waited_for(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as held:
        write(held.url)
        before = postmaster_pid(home)
        os.kill(before, signal.SIGKILL)
        with embedded.start(home) as again:
            assert query(again.url, "select word from kept") == [("hay",)]
            assert postmaster_pid(home) != before


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGKILL])
def test_whoever_watches_a_server_starts_it_again_when_it_died(home: Path, number: signal.Signals) -> None:
    with embedded.start(home, settings=QUICK, keep=True) as held:
        held.watch()
        write(held.url)
        before = postmaster_pid(home)
        os.kill(before, number)
        eventually(lambda: bool(embedded.url_if_running(home)) and postmaster_pid(home) != before, 60)
        assert query(held.url, "select word from kept") == [("hay",)]
        eventually(places.Places.of(home).kept.exists)


def test_of_several_who_watch_one_starts_the_server_again(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as one, embedded.start(home, settings=QUICK) as two:
        kill_server(home)
        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(lambda held: held.revive(), (one, two))) == [False, True]
        assert query(two.url, "select 1") == [(1,)]


def test_a_server_that_was_stopped_on_purpose_is_not_started_again(home: Path) -> None:
    with embedded.start(home, settings=QUICK) as held:
        embedded.stop(home)
        assert held.revive() is False
        with embedded.start(home, settings=QUICK) as again:
            kill_server(home)
            assert held.revive() is True
            assert query(again.url, "select 1") == [(1,)]
    assert held.revive() is False


def test_a_server_that_cannot_start_is_tried_less_and_less_often(caplog: pytest.LogCaptureFixture) -> None:
    pauses = list(itertools.accumulate(range(8), lambda pause, _: watch.longer(pause), initial=0.0))[1:]
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30]

    over = threading.Event()
    tries = itertools.count()

    def revive() -> bool:
        if next(tries) == 0:
            raise EmbeddedError("the disk is full\n\nthe log")
        over.set()
        return True

    watch.keep_alive(revive, over)
    assert [record.getMessage().partition(":")[2] for record in caplog.records] == [" the disk is full", ""]


def test_a_server_that_needs_longer_to_start_is_left_to_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postmaster, "READY_SECONDS", 0.0)
    answer = postmaster.is_ready
    monkeypatch.setattr(postmaster, "is_ready", lambda _: False)
    with pytest.raises(EmbeddedError, match="still starting after 0 s"):
        embedded.start(home, settings=QUICK)
    eventually(lambda: answer(places.Places.of(home)))


def test_an_interrupted_first_start_leaves_nothing_half_made(empty: Path, processes: Processes) -> None:
    starting = processes.spawn(empty)
    eventually(lambda: bool(list((empty / "postgres").glob("new-data-*"))))
    starting.kill()
    starting.wait()
    assert not (empty / "postgres/data").exists()

    with embedded.start(empty, settings=QUICK) as held:
        write(held.url)
    assert not list((empty / "postgres").glob("new-*"))


# Pid files that lie


def test_a_pid_file_that_names_a_stranger_is_no_hindrance_and_the_stranger_lives(home: Path) -> None:
    with embedded.start(home, settings=QUICK):
        kill_server(home)
    stranger = subprocess.Popen(["sleep", "60"])
    rename_pid(home, stranger.pid)

    with embedded.start(home, settings=QUICK):
        pass
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_a_pid_file_that_names_a_zombie_is_no_hindrance(home: Path) -> None:
    with embedded.start(home, settings=QUICK):
        kill_server(home)
    zombie = subprocess.Popen(["true"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    rename_pid(home, zombie.pid)

    with embedded.start(home, settings=QUICK):
        pass
    zombie.wait()


@pytest.mark.parametrize("text", ["", "nonsense\n"])
def test_a_damaged_pid_file_is_no_hindrance(home: Path, text: str) -> None:
    (home / "postgres/data/postmaster.pid").write_text(text)
    with embedded.start(home, settings=QUICK):
        pass


def test_stop_never_signals_a_process_that_does_not_listen(home: Path) -> None:
    stranger = subprocess.Popen(["sleep", "60"])
    with embedded.start(home, settings=QUICK) as held:
        file = held.data / "postmaster.pid"
        truth = file.read_text()
        rename_pid(home, stranger.pid)
        assert embedded.stop(home) is False
        file.write_text(truth)
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_a_server_started_by_hand_is_left_alone(home: Path) -> None:
    found = places.Places.of(home)
    with tempfile.TemporaryDirectory(prefix="by-hand-") as elsewhere:
        by_hand = identity.choose(found)
        programs = binaries.find()
        if by_hand.way != "self" and not by_hand.can_enter(programs.folder):
            programs = binaries.copy(programs, found.beside)
        argv = [str(programs.folder / "postgres"), "-D", str(found.data), "-clisten_addresses=", "-k", elsewhere]
        by_hand.give(Path(elsewhere))
        with tempfile.TemporaryFile() as output:
            by_hand.run(argv, lock=Path(elsewhere) / "lock", output=output, seconds=10, leave=True)
        eventually(lambda: "ready" in (found.data / "postmaster.pid").read_text())
        before = (found.data / "postmaster.pid").read_text()

        with pytest.raises(EmbeddedError, match="started by other means"):
            embedded.start(home)
        assert (found.data / "postmaster.pid").read_text() == before
        os.kill(postmaster_pid(home), signal.SIGINT)
        eventually(lambda: not locks.is_held(Path(elsewhere) / "lock"))


def rename_pid(home: Path, pid: int) -> None:
    for file in (home / "postgres/data/postmaster.pid", home / "postgres/run/.s.PGSQL.5432.lock"):
        _, newline, rest = file.read_text().partition("\n")
        file.write_text(f"{pid}{newline}{rest}")


# Places


@pytest.fixture
def moved(home: Path, empty: Path) -> Iterator[Callable[[str], Path]]:
    """Moves the home with data below a folder of another name, and back in the end."""

    def move(name: str) -> Path:
        (empty / name).mkdir()
        (home / "postgres").rename(empty / name / "postgres")
        return empty / name

    yield move
    for place in empty.glob("*/postgres"):
        embedded.stop(place.parent)
        place.rename(home / "postgres")


@pytest.mark.parametrize("name", ["two words", 'it\'s 100% "quoted" $HOME', "文献", "a,b", "long" * 40])
def test_a_home_may_have_any_name(moved: Callable[[str], Path], name: str) -> None:
    home = moved(name)
    with embedded.start(home, settings=QUICK) as held:
        write(held.url)
        assert len(os.fsencode(places.Places.of(home).socket)) <= 100
    assert embedded.url_if_running(home) is None
    if not (sockets := places.Places.of(home).sockets).is_relative_to(home):
        sockets.rmdir()


def test_a_short_socket_folder_made_by_somebody_else_is_refused(moved: Callable[[str], Path], tmp_path: Path) -> None:
    home = moved("long" * 40)
    sockets = places.Places.of(home).sockets
    sockets.symlink_to(tmp_path)
    with pytest.raises(EmbeddedError, match="somebody else"):
        embedded.start(home)
    sockets.unlink()


def test_no_variable_of_the_environment_leads_astray(home: Path, processes: Processes) -> None:
    astray = {
        "PGPORT": "1",
        "PGHOST": "nowhere",
        "PGDATA": "/nowhere",
        "PGOPTIONS": "-c no.such=1",
        "TMPDIR": "/nowhere",
    }
    code = HOLD.replace("import sys, psycopg", "import os, sys, psycopg; os.environ.pop('HOME', None)")
    leave(processes.hold(home, code, **astray))


def test_a_home_below_an_unknown_users_folder_is_refused() -> None:
    with pytest.raises(EmbeddedError, match="set INGATHER_HOME"):
        embedded.start(Path("~no_such_user_here/ingather"))


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(EmbeddedError, match="something that is not a folder is in the way"):
        embedded.start(tmp_path / "home")


def test_somebody_elses_files_in_the_place_of_the_data_are_kept(empty: Path) -> None:
    data = empty / "postgres/data"
    data.mkdir(parents=True)
    (data / "thesis.txt").write_text("do not lose")
    with pytest.raises(EmbeddedError, match=r"not empty|belongs to root"):
        embedded.start(empty)
    assert (data / "thesis.txt").read_text() == "do not lose"


@pytest.mark.skipif(not IS_ROOT, reason="only root can mount a small disk")
def test_a_full_disk_is_called_a_full_disk(empty: Path) -> None:
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "none", empty], check=False)
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        with pytest.raises(EmbeddedError, match="full"):
            embedded.start(empty)
        assert not list((empty / "postgres").glob("new-*"))
    finally:
        subprocess.run(["umount", empty], check=True)


# Binaries


def test_without_any_postgresql_the_error_says_what_to_install(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "WHEELS", ())
    monkeypatch.setattr(binaries, "INSTALLED", ())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EmbeddedError, match=r"pip install 'ingather\[embedded\]'"):
        embedded.start(empty)


def test_data_of_another_major_version_is_named_and_not_touched(home: Path) -> None:
    version = home / "postgres/data/PG_VERSION"
    truth = version.read_text()
    version.write_text("13\n")
    with pytest.raises(EmbeddedError, match="written by PostgreSQL 13"):
        embedded.start(home)
    version.write_text(truth)


def test_an_installed_server_serves_where_there_is_no_wheel(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "WHEELS", ())
    try:
        major = binaries.find().major
    except EmbeddedError:
        pytest.skip("no PostgreSQL server is installed here")
    with embedded.start(empty, settings=QUICK) as held:
        write(held.url)
    monkeypatch.undo()

    # The data decides which programs are used, although the wheel's are newer.
    with embedded.start(empty, settings=QUICK) as held:
        assert query(held.url, "select word from kept") == [("hay",)]
        assert binaries.find(major).folder == held.binaries


def test_the_programs_that_were_chosen_are_the_ones_that_run(empty: Path, tmp_path: Path) -> None:
    found = binaries.find()
    chosen = tmp_path / "chosen"
    chosen.symlink_to(found.folder)
    chosen.parent.chmod(0o711)
    with embedded.start(empty, settings=QUICK, chosen=chosen) as held:
        write(held.url)
        assert held.binaries == chosen


def test_chosen_programs_that_are_none_are_refused_with_what_to_do(empty: Path) -> None:
    with pytest.raises(EmbeddedError, match=r"INGATHER_POSTGRES names .* name the folder that holds `postgres`"):
        embedded.start(empty, settings=QUICK, chosen=empty)
    assert embedded.url_if_running(empty) is None


# Users


@pytest.mark.skipif(not IS_ROOT, reason="only root has to become somebody else")
def test_root_needs_no_user_namespace(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_namespaces(monkeypatch)
    with embedded.start(empty, settings=QUICK) as held:
        write(held.url)
        assert held.data.stat().st_uid == pwd.getpwnam("nobody").pw_uid
        assert held.data == empty / "postgres/data"
    monkeypatch.undo()

    # The owner of the data decides, although a namespace would work.
    with embedded.start(empty, settings=QUICK) as held:
        assert query(held.url, "select word from kept") == [("hay",)]


@pytest.mark.skipif(not IS_ROOT, reason="only root has to become somebody else")
def test_root_keeps_the_data_of_a_closed_home_where_the_server_can_reach_it(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid_namespaces(monkeypatch)
    monkeypatch.setattr(server, "OPEN_PLACE", empty / "open")
    home = empty / "closed"
    home.mkdir(mode=0o700)
    with embedded.start(home, settings=QUICK) as held:
        write(held.url)
        assert held.data.is_relative_to(empty / "open")
        assert embedded.url_if_running(home) == held.url
    with embedded.start(home, settings=QUICK) as held:
        assert query(held.url, "select word from kept") == [("hay",)]
    assert embedded.url_if_running(home) is None


@pytest.mark.skipif(not IS_ROOT, reason="only root has to become somebody else")
def test_programs_that_the_server_cannot_reach_are_copied(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_namespaces(monkeypatch)
    closed = empty / "closed"
    found = binaries.find()
    package = found.folder.parents[1]
    if package.name not in binaries.WHEELS:
        pytest.skip("the programs of an installed server are not copied")
    for folder in package.parent.glob(f"{package.name}*"):
        shutil.copytree(folder, closed / folder.name)
    closed.chmod(0o700)
    private = closed / found.folder.relative_to(package.parent)
    with embedded.start(empty, settings=QUICK, chosen=private) as held:
        write(held.url)
    copied = (empty / f"postgres/postgresql-{found.version}") / found.folder.relative_to(package.parent)
    assert (copied / "postgres").exists()


def forbid_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    can_enter = Identity.can_enter
    monkeypatch.setattr(Identity, "can_enter", lambda who, path: who.way != "namespace" and can_enter(who, path))


@pytest.mark.skipif(not IS_ROOT, reason="only root has to become somebody else")
def test_root_leaves_a_users_home_usable_for_that_user(empty: Path) -> None:
    root = empty / "postgres"
    root.mkdir()
    os.chown(root, 1, 1)
    with embedded.start(empty, settings=QUICK) as held:
        write(held.url)
    # Programs that had to be copied are only read.
    theirs = [path for path in root.iterdir() if not path.name.startswith("postgresql-")]
    assert {path.stat().st_uid for path in [root, *theirs]} == {1}


def as_ordinary_user(code: str, home: Path) -> tuple[int, str]:
    """Runs Python as a user without rights: really, or where Python itself is root's alone, in a user namespace."""
    user = ordinary_user()
    user.give(home)
    with tempfile.TemporaryFile() as output, tempfile.NamedTemporaryFile() as lock:
        argv = [sys.executable, "-c", textwrap.dedent(code), str(home)]
        exit_code = user.run(argv, lock=Path(lock.name), output=output, seconds=60)
        output.seek(0)
        return exit_code, output.read().decode()


def ordinary_user() -> Identity:
    if not IS_ROOT:
        return Identity(way="self", uid=os.geteuid(), gid=os.getegid())
    nobody = pwd.getpwnam("nobody")
    for way in ("user", "namespace"):
        user = Identity(way=way, uid=nobody.pw_uid, gid=nobody.pw_gid)
        if all(user.can_enter(Path(path).parent) for path in (Path(sys.executable).resolve(), ingather.__file__)):
            return user
    pytest.skip("no ordinary user can run this Python")


def test_an_ordinary_user_starts_a_server_of_its_own(empty: Path) -> None:
    code = """
        import sys, os, psycopg
        from pathlib import Path
        from ingather import embedded
        for _ in range(2):
            with embedded.start(Path(sys.argv[1])) as held, psycopg.connect(held.url) as connection:
                connection.execute("create table if not exists kept (word text)")
                connection.execute("insert into kept values ('hay')")
        with embedded.start(Path(sys.argv[1])) as held, psycopg.connect(held.url) as connection:
            print(os.geteuid() > 0, connection.execute("select * from kept").fetchall())
    """
    assert as_ordinary_user(code, empty) == (0, "True [('hay',), ('hay',)]\n")
    assert embedded.url_if_running(empty) is None


SAY_WHY = """
    import sys
    from pathlib import Path
    from ingather import embedded
    try:
        embedded.start(Path(sys.argv[1]) / "below")
    except embedded.EmbeddedError as error:
        print(error)
"""


def test_a_home_that_may_not_be_written_is_named(empty: Path) -> None:
    empty.chmod(0o555)
    exit_code, reason_given = as_ordinary_user(SAY_WHY, empty)
    assert (exit_code, reason_given.count("\n")) == (0, 1)
    assert f"{empty}/below is closed to this user (Permission denied)" in reason_given


@pytest.mark.skipif(not IS_ROOT, reason="only root can give files away")
def test_data_of_another_user_is_refused(empty: Path) -> None:
    user = ordinary_user()
    if user.way != "user":
        pytest.skip("in a namespace every unknown owner is nobody")
    data = empty / "below/postgres/data"
    data.mkdir(parents=True)
    for path in (data.parent.parent, data.parent):
        user.give(path)
    os.chown(data, 1, 1)
    assert "belongs to daemon: run as that user" in as_ordinary_user(SAY_WHY, empty)[1]
