"""Files of references: every format is read, a broken record is listed with its line, and the others are taken."""

import time

import pytest

from ingather.engine.errors import UsageError
from ingather.extraction.references import Reference, read_references
from ingather.extraction.references.bibtex import plain_text

RIS = """\
TY  - JOUR
TI  - Stretching for stiff necks
AU  - Smith, John
AU  - Li, Kim
PY  - 2021/03/04/
DO  - https://doi.org/10.1000/J.1
AN  - 31234567
DB  - PubMed
JO  - Neck
AB  - Registered as NCT00000001.
ER  -

"""
BIB = """\
@article{smith2021,
  title = {Stretching for {Stiff} necks},
  author = {Smith, John and M{\\"u}ller, Kim},
  year = 2021, journal = {Neck}, doi = {10.1000/J.1},
}
"""
NBIB = """\
PMID- 31234567
OWN - NLM
DP  - 2021 Mar
TI  - Stretching for stiff
      necks.
LID - 10.1000/J.1 [doi]
AB  - Short.
FAU - Smith, John
AU  - Smith J
FAU - Li, Kim
JT  - Neck
SI  - ClinicalTrials.gov/NCT00000001

"""
ENDNOTE = """\
<?xml version="1.0" encoding="UTF-8"?><xml><records>
<record><ref-type name="Journal Article">17</ref-type><contributors><authors>
<author><style face="normal">Smith, John</style></author><author>Li, Kim</author></authors></contributors>
<titles><title><style>Stretching for </style><style face="italic">stiff</style><style> necks</style></title>
<secondary-title>Neck</secondary-title></titles><dates><year>2021</year></dates>
<accession-num>31234567</accession-num><electronic-resource-num>10.1000/J.1</electronic-resource-num></record>
</records></xml>
"""
CSV = (
    'Title,Authors,Year,DOI,PMID,Journal\n"Stretching for stiff necks","Smith J; Li K",2021,10.1000/J.1,31234567,Neck\n'
)


def only(text: str | bytes) -> Reference:
    found = read_references(text if isinstance(text, bytes) else text.encode())
    assert found.unreadable == ()
    [reference] = found.references
    return reference


@pytest.mark.parametrize(
    ("text", "format"), [(RIS, "ris"), (BIB, "bibtex"), (NBIB, "nbib"), (ENDNOTE, "endnote"), (CSV, "csv")]
)
def test_every_format_gives_the_same_reference(text: str, format: str) -> None:
    assert read_references(text.encode()).format == format
    reference = only(text)
    assert reference.title.lower() == "stretching for stiff necks"
    assert reference.authors[0].startswith("Smith")
    assert len(reference.authors) == 2
    assert (reference.year, reference.doi, reference.journal) == (2021, "10.1000/J.1", "Neck")
    assert reference.pmid == ("" if format == "bibtex" else "31234567")


def test_registration_numbers_are_taken_from_abstracts_and_secondary_ids() -> None:
    assert only(RIS).registrations == only(NBIB).registrations == ("NCT00000001",)


@pytest.mark.parametrize(
    ("text", "doi", "pmid"),
    [("10.1000/a\nhttps://doi.org/10.1000/b\n", "10.1000/a", ""), ("31234567, 31234568", "", "31234567")],
)
def test_lists_of_identifiers_are_read(text: str, doi: str, pmid: str) -> None:
    found = read_references(text.encode())
    assert (found.format, len(found.references)) == ("identifiers", 2)
    assert (found.references[0].doi, found.references[0].pmid) == (doi, pmid)


@pytest.mark.parametrize("text", [RIS, BIB, NBIB, ENDNOTE])
def test_a_record_without_an_end_loses_no_other(text: str) -> None:
    end = {RIS: "ER  -\n\n", BIB: ",\n}\n", NBIB: "\n\n", ENDNOTE: "</record>\n</records></xml>\n"}[text]
    start = {RIS: "TY  -", BIB: "@article", NBIB: "PMID-", ENDNOTE: "<record>"}[text]
    cut = text.removesuffix(end) + "\n" + text[text.index(start) :]
    found = read_references(cut.encode())
    assert len(found.references) + len(found.unreadable) == 2
    assert len(found.references) >= 1
    if text in {RIS, NBIB}:
        assert len(found.references) == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BIB + "@article{broken, title = {open\n\n" + BIB, 6),
        (ENDNOTE.replace("</records>", "<record><titles><title>Open</record>\n</records>") , 7),
        (NBIB + "PMID- 1\nTI  - A\nstray line\n", 14),
        (CSV + "only one cell\n", 3),
        (RIS + "TY  - JOUR\nJO  - Neck\nER  - \n", 13),
        ("10.1000/a\n10.1000/b\nno identifier\n", 3),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_listed_with_its_line(text: str, line: int) -> None:
    found = read_references(text.encode())
    assert found.references
    assert found.unreadable[0].line == line
    assert found.unreadable[0].sentence


def test_duplicate_keys_lose_no_reference() -> None:
    assert len(read_references((BIB + BIB.replace("Stiff", "Sore")).encode()).references) == 2


@pytest.mark.parametrize(
    ("encoding", "title"),
    [("utf-16", "Müller über Nacken"), ("cp1252", "Müller über Nacken"), ("gb18030", "针刺治疗颈痛的随机对照试验")],
)
def test_other_encodings_are_read_and_named(encoding: str, title: str) -> None:
    text = RIS.replace("Stretching for stiff necks", title)
    found = read_references(text.encode(encoding))
    assert found.references[0].title == title
    assert bool(found.notes) == (encoding != "utf-16")


def test_bytes_of_no_encoding_are_not_fatal() -> None:
    assert only(RIS.encode().replace(b"stiff", b"st\x81\xffff")).year == 2021


def test_an_abstract_of_a_million_characters_is_cut() -> None:
    for text in (RIS, NBIB):
        long = text.replace("AB  - ", f"AB  - {'long ' * 200_000}")
        assert len(only(long).abstract) == 20_000
    assert len(only(CSV.replace("DOI", "Abstract").replace("10.1000/J.1", "a" * 1_000_000)).abstract) == 20_000


def test_entities_are_never_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    text = ENDNOTE.replace("<xml>", f"{bomb}<xml>").replace("Neck", "&b;&f;")
    found = read_references(text.encode())
    assert found.references == ()
    assert [one.line for one in found.unreadable] == [2]
    inside = ENDNOTE.replace("<titles>", f"{bomb}<titles>")
    assert read_references(inside.encode()).references == ()
    deep = ENDNOTE.replace("<titles>", "<a>" * 5_000)
    assert read_references(deep.encode()).references == ()


@pytest.mark.parametrize(
    "data", [b"", b"   \n", b"\x00\x01\x02", b"%PDF-1.7\nnothing", b"Dear all,\nplease find it below.\n"]
)
def test_a_file_without_references_is_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        read_references(data)
    assert "RIS" in str(caught.value)


def test_ten_thousand_references_are_read() -> None:
    before = time.process_time()
    found = read_references("".join(RIS.replace("J.1", f"J.{n}") for n in range(10_000)).encode())
    assert len(found.references) == 10_000
    assert len({one.doi for one in found.references}) == 10_000
    # No limit that a busy machine could break; the time is for whoever reads the log.
    print(f"10,000 references in {time.process_time() - before:.1f} s of one core")


@pytest.mark.parametrize(
    ("tex", "text"),
    [(r"M{\"u}ller", "Müller"), (r"\'{E}cole", "École"), ("{RNA} \\& {DNA}", "RNA & DNA"), (r"Stra{\ss}e", "Straße")],
)
def test_accents_of_tex_are_letters(tex: str, text: str) -> None:
    assert plain_text(tex) == text
