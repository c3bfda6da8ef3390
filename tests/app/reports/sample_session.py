"""A session with many kinds of events in its log, for tests of reports and exports."""

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.log.store import LogStore, SegmentUpdate

DOCUMENT = read_document("One\r\n=1+1\r\n\r\nÜber “uns”\u2028!\r\n".encode("cp1252", "ignore"), "my.manual.txt")
RESULT = {"status": "complete", "hypotheses": [{"text": "Eins", "score": -0.1}, {"text": "Ein", "score": -0.2}]}


def log_sample_session(store: LogStore) -> int:
    """Its number. Segment 0 is confirmed, 1 edited, 2 never touched."""
    session = store.start_session(OWNER, DOCUMENT, "en-de", pseudonym="p1", token="secret-token")
    number = session.id
    store.glossaries.change(OWNER, number, (), (Glossary.of(1, "g.tsv", [Term("one", "eins", 1)]),), {})
    store.append(OWNER, number, "focus", {}, segment=0)
    store.append(OWNER, number, "decode_request", {"number": 1}, segment=0)
    store.append(OWNER, number, "decode_result", RESULT, segment=0)
    store.append(OWNER, number, "pin", {"text": "Eine"}, segment=0)
    store.append(OWNER, number, "decode_request", {"number": 2}, segment=0)
    store.append(OWNER, number, "decode_result", {"hypotheses": [{"text": "Eine", "score": float("nan")}]}, segment=0)
    store.append(OWNER, number, "hypothesis_taken", {}, segment=0, update=SegmentUpdate("edited", "Eine", 1))
    store.append(
        OWNER,
        number,
        "edit",
        {"text": "Eine 1"},
        segment=0,
        update=SegmentUpdate("edited", "Eine 1", 2, read_version=1),
    )
    store.append(
        OWNER, number, "confirm", {}, segment=0, update=SegmentUpdate("confirmed", "Eine 1", 3, read_version=2)
    )
    store.append(OWNER, number, "focus", {}, segment=1)
    update = SegmentUpdate("edited", "@SUM(A1)\ud83d", 1)
    store.append(OWNER, number, "edit", {"text": "@SUM(A1)\ud83d"}, segment=1, update=update)
    return number
