"""All limits of the HTTP API, and the events of webhooks.

This module imports nothing: the command line needs the defaults before the app loads.
"""

from typing import Final

DEFAULT_REQUESTS: Final = 600  # of a key in a minute
DEFAULT_CHARACTERS: Final = 2_000_000  # of a key in a day (UTC)
MAX_AT_ONCE: Final = 16  # requests of a key that are answered at the same time
MAX_BODY_BYTES: Final = 2 * 2**20  # of a request
MAX_UNKNOWN_BYTES: Final = 16 * 2**10  # of a body that is parsed without a valid key in the request
ANSWER_SECONDS: Final = 120.0  # then a request is given up
LOADING_SECONDS: Final = 30.0  # that a request waits for a model that is being loaded
OUTAGE_LOOK_SECONDS: Final = 1.0  # between two looks whether the engine can still be reached, while a request waits

MAX_STREAMS: Final = 4  # of events, open at the same time with a key

MAX_TEXTS: Final = 50  # of a request
MAX_CHARACTERS: Final = 10_000  # of a text
MAX_SENTENCES: Final = 5_000  # of all texts of a request
SENTENCES_AT_ONCE: Final = 128  # of a request, in the model's queue
MAX_CONSTRAINTS: Final = 50  # of each kind, of a text
MAX_PHRASE_CHARACTERS: Final = 500
MAX_NBEST: Final = 20
MAX_WORK: Final = 2_500  # constraints times hypotheses, of all texts of a request
MAX_ALTERNATIVES: Final = 20
MAX_TAG_NAMES: Final = 100  # of elements that are not translated, or that separate paragraphs

MAX_JOB_TEXTS: Final = 2_000  # of a job
MAX_JOB_BYTES: Final = 32 * 2**20  # of a job, its texts and results
MAX_RUNNING_JOBS: Final = 2  # of a person, at the same time
MAX_JOBS_EACH: Final = 8  # of a person, with their results
MAX_JOBS: Final = 64  # of all people
MAX_PERSON_JOB_BYTES: Final = 64 * 2**20  # of the jobs of a person
MAX_ALL_JOB_BYTES: Final = 512 * 2**20  # of the jobs of all people
JOB_HOURS: Final = 24  # that a job is kept after its end
JOB_DAYS: Final = 7  # after which a job that has not ended fails

MAX_DOCUMENT_BYTES: Final = 31 * 2**20  # of a request with a document, which may have 30 MiB
MAX_DOCUMENTS: Final = 100  # of a person
MAX_UPLOADS: Final = 4  # documents that the server receives and reads at the same time
MAX_UPLOADS_EACH: Final = 2  # of these, of one person

MAX_MATCHES: Final = 20  # of the translation memory, in an answer
MAX_UNITS: Final = 1_000  # that are added to the translation memory by a request
MAX_FINDINGS: Final = 100  # about entries, in an answer
MAX_GLOSSARIES: Final = 500  # of a person
MAX_GLOSSARY_CHARACTERS: Final = 20_000_000  # of all entries of a person
MAX_MATCHERS_EACH: Final = 5  # sets of glossaries of a person that are kept in memory, ready to be used
MAX_MATCHED_TERMS: Final = 200_000  # in them, of all people; 400 bytes each
MAX_ENTRIES: Final = 20_000  # of a dictionary
MAX_ENTRY_CHARACTERS: Final = 500
MAX_NAME: Final = 200  # characters of a glossary's name
MAX_GLOSSARIES_AT_ONCE: Final = 5  # in one request
WEBHOOK_EVENTS: Final = ("finished", "assigned", "returned")
