"""Views of the log for research, in SQL: what `sqlite-utils query` and Datasette show without any code.

Each row names its `session` and its `segment`, which counts from 1 in the order of the file. Times are ISO 8601 in UTC.
The columns are described in docs/researchers.md. A migration that changes a column which a view reads drops the views
first, and creates them again with `create_research_views`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlite_utils import Database

# A longer time between two actions is no work: the same as `app.reports.working_time.IDLE_LIMIT_MS`.
_MAX_PAUSE_MS: Final = 60_000
# One event after another of each person's work in a segment, as `app.reports.working_time.WorkingClock` reads them.
_PAUSES: Final = f"""
    WITH act AS (
        SELECT session_id, seq, wall_ms, type, segment_index,
            monotonic_ms - CASE type WHEN 'idle' THEN coalesce(json_extract(payload, '$.idle_ms'), 0) ELSE 0 END
                AS at_ms,
            sum(type IN ('focus', 'blur', 'idle', 'close', 'open', 'resume')) OVER in_session AS stretch
        FROM event
        WHERE type NOT IN ('model', 'decode_request', 'decode_result', 'prices', 'pretranslate', 'error', 'term_shown',
                'term_used', 'check_raised', 'consent')
            AND json_valid(payload)
            AND NOT (type = 'insert' AND json_extract(payload, '$.state') IS 'pretranslated')
        WINDOW in_session AS (PARTITION BY session_id ORDER BY seq)),
    placed AS (
        SELECT session_id, seq, wall_ms, type, at_ms,
            first_value(CASE type WHEN 'focus' THEN segment_index END) OVER in_stretch AS inside
        FROM act WINDOW in_stretch AS (PARTITION BY session_id, stretch ORDER BY seq)),
    paired AS (
        SELECT *, lag(inside) OVER in_session AS segment_index, lag(type) OVER in_session AS after,
            max(0, at_ms - lag(at_ms) OVER in_session) AS pause_ms
        FROM placed WINDOW in_session AS (PARTITION BY session_id ORDER BY seq))
    SELECT session_id AS session, segment_index + 1 AS segment, seq,
        strftime('%Y-%m-%dT%H:%M:%fZ', wall_ms / 1000.0, 'unixepoch') AS time,
        after, type AS before, pause_ms, pause_ms <= {_MAX_PAUSE_MS} AS is_work
    FROM paired WHERE segment_index IS NOT NULL AND type NOT IN ('open', 'resume')
"""  # noqa: S608 (a number of ours)
# A request with its answer and prices. Numbers begin again when a session is resumed: `run` counts the repetitions.
_DECODES: Final = """
    WITH part AS (
        SELECT session_id, seq, wall_ms, type, segment_index, payload, json_extract(payload, '$.number') AS number,
            sum(type = 'decode_request') OVER (
                PARTITION BY session_id, segment_index, json_extract(payload, '$.number') ORDER BY seq) AS run
        FROM event WHERE type IN ('decode_request', 'decode_result', 'prices') AND json_valid(payload)),
    whole AS (
        SELECT session_id, segment_index, number,
            max(CASE type WHEN 'decode_request' THEN seq END) AS seq,
            max(CASE type WHEN 'decode_request' THEN wall_ms END) AS wall_ms,
            max(CASE type WHEN 'decode_request' THEN payload END) AS request,
            max(CASE type WHEN 'decode_result' THEN payload END) AS result,
            max(CASE type WHEN 'prices' THEN payload END) AS prices
        FROM part WHERE run > 0 GROUP BY session_id, segment_index, number, run)
"""
_VIEWS: Final[Mapping[str, str]] = {
    "research_pauses": _PAUSES,
    "research_edits": """
        SELECT session_id AS session, coalesce(json_extract(payload, '$.person'), '') AS person,
            segment_index + 1 AS segment, seq, strftime('%Y-%m-%dT%H:%M:%fZ', wall_ms / 1000.0, 'unixepoch') AS time,
            monotonic_ms, type, json_extract(payload, '$.origin') AS origin, json_extract(payload, '$.rank') AS rank,
            json_extract(payload, '$.offset') AS offset,
            CASE type WHEN 'delete' THEN '' ELSE json_extract(payload, '$.text') END AS inserted,
            CASE type WHEN 'delete' THEN json_extract(payload, '$.text')
                ELSE coalesce(json_extract(payload, '$.removed'), '') END AS removed,
            coalesce(json_extract(payload, '$.state') = 'pretranslated', 0) AS is_filled_in
        FROM event WHERE type IN ('insert', 'delete', 'paste', 'edit', 'undo', 'redo', 'hypothesis_taken')
            AND json_valid(payload)
    """,
    "research_decodes": f"""
        {_DECODES}
        SELECT session_id AS session, segment_index + 1 AS segment, seq,
            strftime('%Y-%m-%dT%H:%M:%fZ', wall_ms / 1000.0, 'unixepoch') AS time,
            json_extract(request, '$.priority') AS priority, json_extract(request, '$.model') AS model,
            json_extract(request, '$.device') AS device,
            json_array_length(request, '$.constraints') AS num_required,
            json_array_length(request, '$.avoid') AS num_bans, json_extract(request, '$.prefix') AS prefix,
            json_array_length(request, '$.locked') AS num_locked, json_extract(request, '$.follow.text') AS follow,
            json_extract(result, '$.status') AS status, json_extract(result, '$.elapsed_ms') AS elapsed_ms,
            json_extract(result, '$.num_steps') AS num_steps,
            json_array_length(result, '$.hypotheses') AS num_hypotheses,
            json_extract(result, '$.hypotheses[0].text') AS proposal,
            json_extract(result, '$.hypotheses[0].score') AS score,
            json_extract(prices, '$.total') AS price
        FROM whole
    """,  # noqa: S608 (a query of ours)
    "research_constraints": f"""
        {_DECODES}
        SELECT session_id AS session, segment_index + 1 AS segment, seq,
            CASE WHEN json_extract(required.value, '$.is_pinned') THEN 'pin'
                WHEN json_array_length(required.value, '$.term_keys') THEN 'term' ELSE 'source' END AS kind,
            json_extract(required.value, '$.text') AS text,
            CASE WHEN result IS NULL THEN 'no answer'
                WHEN placement.value IS NOT NULL THEN 'met' ELSE 'not met' END AS outcome,
            json_extract(placement.value, '$.form') AS form, json_extract(placement.value, '$.start') AS start,
            (SELECT json_extract(reason.value, '$.kind') FROM json_each(result, '$.reasons') AS reason
                WHERE json_extract(reason.value, '$.phrase') = required.key) AS reason,
            json_extract(prices, '$.constraints[' || required.key || '].price') AS price
        FROM whole JOIN json_each(request, '$.constraints') AS required
        LEFT JOIN json_each(result, '$.hypotheses[0].placements') AS placement
            ON json_extract(placement.value, '$.phrase') = required.key
        GROUP BY session_id, seq, required.key
        UNION ALL
        SELECT session_id, segment_index + 1, seq, 'ban', json_extract(banned.value, '$.text'),
            CASE WHEN result IS NULL THEN 'no answer'
                WHEN json_array_length(result, '$.hypotheses') THEN 'met' ELSE 'not met' END,
            NULL, NULL, NULL, json_extract(prices, '$.avoid[' || banned.key || '].price')
        FROM whole JOIN json_each(request, '$.avoid') AS banned
    """,  # noqa: S608 (a query of ours)
    "research_segments": """
        WITH counted AS (
            SELECT session_id, segment_index,
                min(CASE type WHEN 'focus' THEN wall_ms END) AS opened_ms,
                max(CASE type WHEN 'confirm' THEN wall_ms END) AS confirmed_ms,
                sum(type = 'focus') AS num_opened, sum(type = 'reopen') AS num_reopened, sum(type = 'pin') AS num_pins,
                sum(type = 'avoid') AS num_bans, sum(type = 'decode_request') AS num_decodes,
                sum(type = 'hypothesis_taken') AS num_taken, sum(type IN ('insert', 'delete', 'paste')) AS num_changes
            FROM event WHERE segment_index IS NOT NULL GROUP BY session_id, segment_index),
        worked AS (
            SELECT session, segment, sum(pause_ms) AS gross_ms, sum(pause_ms * is_work) AS net_ms
            FROM research_pauses GROUP BY session, segment)
        SELECT segment.session_id AS session, document.name AS document, session.direction,
            segment.segment_index + 1 AS segment, segment.source, segment.given_target, segment.target, segment.state,
            segment.review, strftime('%Y-%m-%dT%H:%M:%fZ', opened_ms / 1000.0, 'unixepoch') AS opened,
            strftime('%Y-%m-%dT%H:%M:%fZ', confirmed_ms / 1000.0, 'unixepoch') AS confirmed,
            coalesce(gross_ms, 0) AS gross_ms, coalesce(net_ms, 0) AS net_ms,
            coalesce(num_opened, 0) AS num_opened, coalesce(num_reopened, 0) AS num_reopened,
            coalesce(num_changes, 0) AS num_changes, coalesce(num_pins, 0) AS num_pins,
            coalesce(num_bans, 0) AS num_bans, coalesce(num_decodes, 0) AS num_decodes,
            coalesce(num_taken, 0) AS num_taken
        FROM segment JOIN session ON session.id = segment.session_id JOIN document ON document.id = session.document_id
        LEFT JOIN counted USING (session_id, segment_index)
        LEFT JOIN worked ON worked.session = segment.session_id AND worked.segment = segment.segment_index + 1
        WHERE segment.source != ''
    """,
}


def create_research_views(db: Database) -> None:
    """Creates the views, in place of older ones. Call inside a transaction."""
    for name, query in _VIEWS.items():
        db.execute(f"DROP VIEW IF EXISTS {name}")
        db.execute(f"CREATE VIEW {name} AS {query}")
