"""The jobs of programs, in the file of the keys: their texts until they end, and the results that are finished."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from app.errors import ApiError, Checked
from app.i18n import Message
from app.serving.admission import Caller
from app.serving.api_limits import (
    JOB_DAYS,
    JOB_HOURS,
    MAX_ALL_JOB_BYTES,
    MAX_JOB_BYTES,
    MAX_JOBS,
    MAX_JOBS_EACH,
    MAX_PERSON_JOB_BYTES,
    MAX_RUNNING_JOBS,
)
from app.serving.constrained_texts import TranslationSetup
from app.serving.keys import IS_VALID, ApiFile, utc_now

JobState = Literal["running", "done", "failed"]
_READING: Final = Message("read the jobs")
_WRITING: Final = Message("write the job")
_TABLES: Final = (
    # `request` is empty after the end of a job.
    """CREATE TABLE IF NOT EXISTS job (
        id TEXT PRIMARY KEY, key INTEGER NOT NULL REFERENCES key (id), created TEXT NOT NULL,
        ended TEXT NOT NULL DEFAULT '', state TEXT NOT NULL DEFAULT 'running', problem TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL, direction TEXT NOT NULL, request TEXT NOT NULL, num_texts INTEGER NOT NULL,
        num_done INTEGER NOT NULL DEFAULT 0, num_bytes INTEGER NOT NULL)""",
    # `answers` are those from text number `first` on: JSON objects, separated by commas.
    """CREATE TABLE IF NOT EXISTS job_answer (
        job TEXT NOT NULL REFERENCES job (id), first INTEGER NOT NULL, answers BLOB NOT NULL,
        PRIMARY KEY (job, first))""",
)


@dataclass(frozen=True, slots=True)
class ApiJob(Checked):
    """A job as it is stored. Times are ISO 8601 in UTC, "" for never; `num_bytes` counts its texts and results."""

    id: str
    key: int
    created: str
    ended: str
    state: JobState
    problem: str
    model: str
    direction: str
    request: str
    num_texts: int
    num_done: int
    num_bytes: int


class StoredJobs:
    """The jobs of all people in the file of the keys. Thread-safe. Nobody sees that another person's job exists.

    A job ends with the key that it was sent with.
    """

    def __init__(self, file: ApiFile) -> None:
        self._file = file
        self._connection = file.connection
        with self._connection.transaction(_WRITING):
            for table in _TABLES:
                self._connection.db.execute(table)

    def check_room(self, owner: str, num_bytes: int) -> None:
        """Raises ApiError if another job with a request of this size would exceed a limit."""
        rows = self._connection.rows(
            _READING, "SELECT job.state, job.num_bytes, key.name FROM job JOIN key ON key.id = job.key"
        )
        own = [row for row in rows if row["name"] == owner]
        if len(own) >= MAX_JOBS_EACH or len(rows) >= MAX_JOBS:
            most = f"{MAX_JOBS_EACH} jobs of a person and {MAX_JOBS} in all"
            raise ApiError("too_fast", f"The server keeps {most}: delete jobs whose results you have.", retry_after=60)
        limits = ((own, MAX_PERSON_JOB_BYTES, "of a person"), (rows, MAX_ALL_JOB_BYTES, "of all people"))
        for jobs, most_bytes, whose in limits:
            if sum(row["num_bytes"] for row in jobs) + num_bytes > most_bytes:
                problem = f"The jobs {whose} may have {most_bytes:,} bytes: delete jobs whose results you have."
                raise ApiError("too_fast", problem, retry_after=60)
        if sum(row["state"] == "running" for row in own) >= MAX_RUNNING_JOBS:
            raise ApiError("too_fast", f"At most {MAX_RUNNING_JOBS} jobs of a person run at once.", retry_after=10)

    def add(self, caller: Caller, request: str, setup: TranslationSetup, num_texts: int) -> ApiJob:
        """A new job, which is on the disk."""
        number = secrets.token_hex(12)
        with self._file.writing_to_disk(_WRITING):
            self._connection.insert(
                "job",
                id=number,
                key=caller.key.id,
                created=utc_now(),
                model=setup.model.name,
                direction=setup.direction,
                request=request,
                num_texts=num_texts,
                num_bytes=len(request.encode()),
            )
        return self.find(caller.name, number)

    def all_of(self, owner: str) -> list[ApiJob]:
        """The jobs of a person, oldest first."""
        return self._jobs("key.name = ?", owner)

    def unfinished(self) -> list[tuple[ApiJob, Caller]]:
        """The jobs that have not ended, with their senders, oldest first."""
        keys = {key.id: key for key in self._file.keys()}  # noqa: SIM118 (no mapping)
        return [(job, Caller(keys[job.key])) for job in self._jobs("job.state = 'running'") if job.key in keys]

    def find(self, owner: str, number: str) -> ApiJob:
        """The job of a person with this id. Raises ApiError."""
        found = self._jobs("key.name = ? AND job.id = ?", owner, number)
        if not found:
            raise ApiError("not_found", "There is no such job: it was deleted, or its results were kept long enough.")
        return found[0]

    def results(self, job: ApiJob) -> bytes:
        """The results so far, as JSON objects that are separated by commas."""
        query = "SELECT answers FROM job_answer WHERE job = ? ORDER BY first"
        return b",".join(answers for (answers,) in self._connection.tuples(_READING, query, (job.id,)))

    def add_results(self, number: str, answers: Sequence[bytes]) -> bool:
        """Stores the results of the next texts; False if the job has ended. Raises ApiError if they are too large."""
        joined = b",".join(answers)
        with self._connection.transaction(_WRITING):
            job = next(iter(self._jobs("job.id = ? AND job.state = 'running'", number)), None)
            if job is None:
                return False
            if job.num_bytes + len(joined) > MAX_JOB_BYTES:
                raise ApiError("too_large", f"The results have more than {MAX_JOB_BYTES:,} bytes: ask for fewer.")
            self._connection.insert("job_answer", job=number, first=job.num_done, answers=joined)
            self._connection.db.execute(
                "UPDATE job SET num_done = num_done + ?, num_bytes = num_bytes + ? WHERE id = ?",
                (len(answers), len(joined), number),
            )
        return True

    def end(self, number: str, problem: str = "") -> None:
        """Ends a job, which has failed if there is a problem. Its texts are removed."""
        state: JobState = "failed" if problem else "done"
        with self._connection.transaction(_WRITING):
            self._connection.db.execute(
                "UPDATE job SET state = ?, problem = ?, ended = ?, request = '' WHERE id = ? AND state = 'running'",
                (state, problem, utc_now(), number),
            )

    def delete(self, owner: str, number: str) -> None:
        """Deletes a job with its results. Raises ApiError."""
        with self._connection.transaction(_WRITING):
            self.find(owner, number)
            self._delete("job.id = ?", number)

    def remove_old(self) -> None:
        """Removes jobs that ended long ago or whose key is void, and ends those that take too long."""
        now = datetime.now(UTC)
        kept_since, begun_since = (
            (now - age).isoformat(timespec="seconds") for age in (timedelta(hours=JOB_HOURS), timedelta(days=JOB_DAYS))
        )
        with self._connection.transaction(_WRITING):
            self._delete("job.ended != '' AND job.ended < ?", kept_since)
            self._delete(f"job.key NOT IN (SELECT id FROM key WHERE {IS_VALID})")  # noqa: S608 (ours)
            late_jobs = self._jobs("job.state = 'running' AND job.created < ?", begun_since)
        for job in late_jobs:
            self.end(job.id, f"The job was not finished in {JOB_DAYS} days.")

    def _delete(self, condition: str, *parameters: Any) -> None:
        """Deletes jobs, inside a transaction."""
        db = self._connection.db
        db.execute(f"DELETE FROM job_answer WHERE job IN (SELECT id FROM job WHERE {condition})", parameters)  # noqa: S608 (ours)
        db.execute(f"DELETE FROM job WHERE {condition}", parameters)  # noqa: S608 (ours)

    def _jobs(self, condition: str, *parameters: Any) -> list[ApiJob]:
        query = f"SELECT job.* FROM job JOIN key ON key.id = job.key WHERE {condition} ORDER BY job.rowid"  # noqa: S608 (ours)
        rows = self._connection.rows(_READING, query, parameters)
        with self._connection.checked(_READING):
            return [ApiJob(**row) for row in rows]
