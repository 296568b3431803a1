"""What the environment may say, and what is not shown of it."""

from pathlib import Path

import pytest

from ingather.engine.errors import UsageError
from ingather.settings import Settings
from ingather.workbench import endpoint_from

KEY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_URL", "MODEL", "API_KEY"):
        monkeypatch.delenv(f"INGATHER_LLM_{name}", raising=False)
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)


def model(monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[str | None, str | None, str | None]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = Settings.from_environment()
    return found.model_url, found.model, found.model_key


def test_the_variables_of_the_sdk_mean_nothing_without_a_model_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model(monkeypatch, OPENAI_BASE_URL="https://a.example/v1", OPENAI_API_KEY=KEY) == (None, None, None)
    assert endpoint_from(Settings.from_environment()) is None


def test_with_a_model_they_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"INGATHER_LLM_MODEL": "m", "OPENAI_API_KEY": KEY}
    assert model(monkeypatch, **given) == ("https://api.openai.com/v1", "m", KEY)
    assert model(monkeypatch, OPENAI_BASE_URL="https://a.example/v1") == ("https://a.example/v1", "m", KEY)


def test_a_key_for_one_address_is_not_sent_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"INGATHER_LLM_MODEL": "m", "INGATHER_LLM_BASE_URL": "https://b.example/v1", "OPENAI_API_KEY": KEY}
    assert model(monkeypatch, **given) == ("https://b.example/v1", "m", None)


@pytest.mark.parametrize("given", [{"INGATHER_LLM_MODEL": "m"}, {"INGATHER_LLM_BASE_URL": "https://b.example/v1"}])
def test_half_a_model_is_refused(monkeypatch: pytest.MonkeyPatch, given: dict[str, str]) -> None:
    model(monkeypatch, **given)
    with pytest.raises(UsageError, match="Set both or neither"):
        endpoint_from(Settings.from_environment())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("INGATHER_MODEL_CONTEXT", "0"),
        ("INGATHER_MODEL_CONTEXT", "nan"),
        ("INGATHER_MODEL_AT_ONCE", "0"),
        ("INGATHER_MODEL_AT_ONCE", "1e9"),
        ("INGATHER_MODEL_AT_ONCE", "ten"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused_with_its_range(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=rf"{name} must be a number from 1"):
        Settings.from_environment()


@pytest.mark.parametrize("value", ["8400.5", "1.5e0"])
def test_what_is_counted_is_a_whole_number(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    for name in ("INGATHER_PORT", "INGATHER_MAX_PAYLOAD"):
        monkeypatch.setenv(name, value)
        with pytest.raises(UsageError, match=f"{name} must be a whole number"):
            Settings.from_environment()
        monkeypatch.delenv(name)


@pytest.mark.parametrize("value", ["*", "https://a.example", "a.example:8400", "a.example/x", "::1", "-", "a..\u0430"])
def test_a_host_is_a_name_and_nothing_else(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("INGATHER_HOSTS", f"b.example, {value}")
    with pytest.raises(UsageError, match="INGATHER_HOSTS lists names"):
        Settings.from_environment()


def test_hosts_stand_between_spaces_or_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGATHER_HOSTS", " a.example,b-1.example  10.0.0.7 [fe80::1] x ")
    assert Settings.from_environment().hosts == ("a.example", "b-1.example", "10.0.0.7", "[fe80::1]", "x")


def test_settings_show_neither_key_nor_password(monkeypatch: pytest.MonkeyPatch) -> None:
    model(monkeypatch, DATABASE_URL="postgresql://me:hunter22@db/x", INGATHER_LLM_API_KEY=KEY)
    shown = repr(Settings.from_environment())
    assert "hunter22" not in shown
    assert KEY not in shown


def test_the_programs_of_the_database_are_a_folder_wherever_it_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert Settings.from_environment().postgres is None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INGATHER_POSTGRES", "bin")
    assert Settings.from_environment().postgres == tmp_path / "bin"
    monkeypatch.setenv("INGATHER_POSTGRES", "~nobody-of-that-name/bin")
    with pytest.raises(UsageError, match="INGATHER_POSTGRES names the folder of a user who is not there"):
        Settings.from_environment()
