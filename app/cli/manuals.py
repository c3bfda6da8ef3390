"""The manuals of the commands, which `COMMAND --help` shows."""

from __future__ import annotations

_EXIT_STATUS = """
exit status:
  0    done
  1    {partly}
  2    failed: invalid flags, or a file that cannot be read or written
  130  interrupted with Ctrl-C; nothing was written
"""
_PLAIN_STATUS = _EXIT_STATUS.format(partly="not used")
TRANSLATE = """\
Translates every segment without a translation; existing translations (XLIFF, PO, TMX, tables) are kept. Glossary
terms are required in the translation of each sentence that contains their source. Exact matches of the memory are used;
fuzzy matches (75 % or more) are only counted. The output has the format of the input, and only translated text changes.
It is a draft: in XLIFF and PO, translations are not marked as confirmed. Existing files are never overwritten.

DOCUMENT may be a folder, a ZIP file, or a package of Trados (.sdlppx), memoQ (.mqxlz) or XLZ: each document in it is
translated. For a folder, the output is a folder with the translated documents; for a ZIP file, a copy in which only
these documents are replaced; for a package, its return package. Other files are listed with the reason why they were
not translated.

examples:
  python -m app translate manual.docx -o manual.de.docx --glossary terms.tbx --memory project.tmx
  python -m app translate app.po -o app.de.po --model Helsinki-NLP/opus-mt-en-de --threads 4
  python -m app translate job.sdlppx --memory project.tmx
  python -m app translate manual.docx --model firefox-pt-en-tiny --then firefox-en-de-tiny --glossary pt-de.csv

Progress, notes about the file (text that is not offered, a guessed encoding) and problems by segment (terms not met,
placeholders lost) are written to standard error.
""" + _EXIT_STATUS.format(
    partly="written, but some segments have problems: no translation, or a missing term or placeholder; or one of\n"
    "       several documents cannot be read"
).replace("  130", "  3    with --strict: written, but the file has text that is not offered or cannot be read\n  130")
STATS = (
    """\
Net time excludes pauses of more than --idle seconds between two actions. HTER is sacreBLEU's TER between the confirmed
text and the first proposal that was shown. It is computed for segments whose text started from a proposal of the model,
not from the memory or the file. Words are separated by white space; for languages without it, such as Chinese,
characters are counted. The log is not changed.

examples:
  python -m app stats                  all sessions, most recent first
  python -m app stats 12 --idle 30     session 12 with another idle limit
  python -m app stats newest --json    all figures of the newest session by segment
"""
    + _PLAIN_STATUS
)
EXPORT = (
    """\
kinds:
  document   the translated document in its own format: confirmed and edited segments, with --with-proposals also
             the proposals for the other segments, as drafts, if they satisfy all constraints; with --with-comments,
             comments on segments are comments of Word in a Word document, which XLIFF and PO files have in any case
  jsonl      every event, lossless; can be imported with `import-log`
  csv        a row for each segment: texts, times, effort, counts
  xlsx       an Excel workbook: totals, segments, prices of pins, terms and bans
  tmx        the confirmed segments as a translation memory
  xliff      all segments with their states, for any document format
  tbx        the terms added in the session
  review     a Word document for reviewers: a table of all segments, which comes back with `import-review`;
             with --rows or --states only some of them
  review-open
             the same for the segments that are not confirmed, or in a project with review not approved
  glossary   a glossary of the document in the columns of this or another tool (--as): memoQ, Trados MultiTerm, Crowdin,
             Smartling, Lokalise, Phrase, MateCat or DeepL; standard error lists the data that the file cannot store
  zip        the translated documents that were opened together with this one: in a copy of the ZIP file or package
             that they came from, with all other files unchanged, or in a new ZIP file

SESSION is a number listed by `stats`, or "newest". The log is not changed.

examples:
  python -m app export newest xlsx -o report.xlsx
  python -m app export newest review --states edited,returned -o edited.review.docx
  python -m app export newest glossary --as memoq --named terms.tbx
"""
    + _PLAIN_STATUS
)
IMPORT_REVIEW = (
    """\
Prints what a reviewer changed in the Word document that `export SESSION review` wrote: the text of each segment before
and after, and new comments. Tracked changes count as accepted. A problem is printed beside its change: the segment has
changed since the export, tags are damaged, or a row was copied. With --apply, all changes without a problem are taken
over, or none if the log cannot be written; these segments have to be confirmed again. On the page, you can also choose
changes with a problem, and undo the import.

examples:
  python -m app export newest review -o manual.review.docx
  python -m app import-review newest manual.review.docx
  python -m app import-review newest manual.review.docx --apply
"""
    + _PLAIN_STATUS
)
MEMORY = (
    """\
Exports the translation memory of a language pair as the page does: the confirmed segments of all documents and the
imported memories, as TMX, Excel workbook or CSV. An imported file replaces an earlier one of the same name; a running
app uses it at once. It is a TMX or SDLTM file, or a table (XLSX, CSV, TSV): the columns of the texts are named after
the languages (en, English, de-DE) or "source" and "target", or are the first two. Export does not change the log.

examples:
  python -m app memory export xlsx --direction en-de -o memory.xlsx
  python -m app memory import client.tmx --direction en-de --project 2
"""
    + _PLAIN_STATUS
)
IMPORT = (
    """\
Imports the session with all its events. It keeps its number if this number is free. The command refuses a file that
was changed after the export, and a session that the log already contains.

example:
  python -m app import-log manual.log.jsonl
"""
    + _PLAIN_STATUS
)
BACKUP = (
    """\
The copy is a consistent snapshot of the log and is checked after writing. If the log has keys of the HTTP API, they are
copied into FILE.keys. To restore a copy, stop the app and start it with --log FILE (it also reads FILE.keys); or
replace the log and its .keys file by the copies. FILE must not exist. The log of an older version of Pinpoint is copied
unchanged; the app updates it at its next start.

example:
  python -m app backup backups/2026-01-31.sqlite
"""
    + _PLAIN_STATUS
)
VERIFY = """\
Each event has the hash of the event before it. The command lists each session whose events were removed, reordered or
changed later, with the first wrong event. The texts of segments and the glossaries do not have hashes. The log is not
changed.

example:
  python -m app verify --log backups/2026-01-31.sqlite
""" + _EXIT_STATUS.format(partly="a session is incomplete or was changed")
RESCUE = """\
Reads the intact pages of a damaged log and writes a new log FILE. The damaged log is not changed. The new log contains
each session of which the document and all segments can be read; `verify --log FILE` lists sessions with missing events.
The readable segments of other sessions are written to FILE.texts.csv. FILE must not exist. A backup may contain more:
compare both with `stats`.

example:
  python -m app rescue rescued.sqlite --log log.sqlite
  python -m app --log rescued.sqlite
""" + _EXIT_STATUS.format(partly="a session is not in the new log")
DEPENDENCIES = (
    """\
Lists the direct and indirect requirements of Pinpoint on this system, with version and licence as stated by each
package. --sbom writes them as a bill of materials (CycloneDX 1.6, JSON). The file is the same for the same packages.

example:
  python -m app dependencies --sbom pinpoint.cdx.json
"""
    + _PLAIN_STATUS
)
KEYS = (
    """\
The HTTP API (start the app with --api) answers programs that send a key. With a key made with --sign-in, a person opens
the page without the access token: the log contains their name, and they see the projects that they are a member of (see
`people`). A key is shown once, when it is created; the file beside the log contains only its hash. Keys with the same
NAME belong to one person and share glossaries. Keys can be created and revoked while the app runs. The jobs that were
sent with a key are deleted when it is revoked.

--address is for programs that cannot send a key, such as the plug-ins of OPUS-CAT: their requests from this address
count as requests with this key. Everybody who uses that computer then has the same access. Behind a proxy, all requests
come from the address of the proxy, unless the app is started with --trust-proxy.

examples:
  python -m app keys create "Ana Trados"
  python -m app keys create "Ana Silva" --sign-in
  python -m app keys create Weblate --characters 10000000 --requests 3000
  python -m app keys create "Ben memoQ" --address 192.168.1.20
  python -m app keys list
  python -m app keys revoke 2
"""
    + _PLAIN_STATUS
)
USAGE = (
    """\
Counts of each project and month (UTC): documents opened, segments confirmed last in the month with the words of their
sources, requests to the model and the seconds that it took for them. Then the characters that each API key had
translated. Documents that were deleted are not counted any more.

A budget limits the words of documents that are opened in a project in a month. A document that exceeds it is not
opened. Words count when a document is opened, from the time on when the project has a budget.

examples:
  python -m app usage list
  python -m app usage list --month 2026-11 --json
  python -m app usage list --csv usage.csv
  python -m app usage budget 3 50000
  python -m app usage budget 3 --none
"""
    + _PLAIN_STATUS
)
WEBHOOKS = (
    """\
A running app sends a POST request with JSON to each webhook when a document is finished (all its segments are
confirmed), when a document or segments of it are assigned, and when a reviewer returns a segment. The request names
document, project and people, and contains no texts. It is signed as the specification Standard Webhooks says, with the
secret that `add` shows. If the receiver does not answer with a status from 200 to 299, the request is repeated for a
day, after longer and longer pauses; the status 410 ends the webhook.

Without --private, the address must have https, and its name must not lead to an address inside the network.

examples:
  python -m app webhooks add https://example.org/pinpoint
  python -m app webhooks add https://example.org/pinpoint --event finished --project 3
  python -m app webhooks add http://10.0.0.5:8080/hook --private
  python -m app webhooks test 1
  python -m app webhooks list
  python -m app webhooks remove 1
"""
    + _PLAIN_STATUS
)
PEOPLE = (
    """\
As soon as one person has a role, everybody sees only the projects that they are a member of, with the documents,
glossaries and memories in them. `keys create NAME --sign-in` gives a role, too. The name of a person is the NAME of
their keys, or the name that a proxy sends. Roles:

  translator     works in the documents of their projects, and opens documents there, or in a project of their own
  reviewer       the same
  manager        also creates projects, and changes and deletes the projects that they are a member of, their
                 documents and their members; adds models
  administrator  the same in all projects; also removes models

Changes take effect at once, also while the app runs. The owner, who has the access token, is an administrator without
a name.

`password` is for people who sign in with a name and a password instead of a key. It asks for the password twice;
without a terminal, it reads one line of standard input. A password has 12 to 200 characters; only its hash is kept.

examples:
  python -m app people add "Ana Silva"
  python -m app people password "Ana Silva"
  python -m app people sign-out "Ana Silva"
  python -m app people add ben@example.org --role manager --project 2 --project 5
  python -m app people projects
  python -m app people join "Ana Silva" 2
  python -m app people leave "Ana Silva" 2
  python -m app people list
  python -m app people remove "Ana Silva"
  python -m app people events "Ana Silva" -o ana.jsonl
  python -m app people forget "Ana Silva"

`forget` cannot be undone: a pseudonym replaces the name in all events, the hashes of these events are computed again,
and an event in each document records this. Texts, exports and backups do not change.
"""
    + _PLAIN_STATUS
)
ASSIGNMENTS = (
    """\
Assigns a document, or some of its segments, to a member of its project (see `people`). The assignment of a document
shows who works on it, and does not change the assignments of its segments. For each segment, the newest assignment
counts. Other members can read the segments of a person and comment on them, but cannot change them; reviewers and
managers can. A document that is assigned as a whole can be changed by all members.

Changes take effect within a second, also while the app runs; open pages show them within twenty seconds. The log
contains them.

examples:
  python -m app assignments list
  python -m app assignments assign 3 "Ana Silva"
  python -m app assignments assign 3 "Ben" --part 1-40
  python -m app assignments take-back 3 --part 21-40
  python -m app assignments take-back 3
"""
    + _PLAIN_STATUS
)
DEADLINES = (
    """\
Lists the segments of projects and of their documents that are to do, with deadlines, as "Totals" on the page does; sets
deadlines of projects and documents, and removes them. A document without its own deadline has that of its project.
Times are shown in UTC. `urgency` in JSON is overdue, soon (within a day), or empty.

A running app uses a new deadline at once; open pages show it within twenty seconds. The log contains it.

examples:
  python -m app deadlines list 2
  python -m app deadlines set 2026-12-04T17:00 --project 2
  python -m app deadlines set 2026-12-03T12:00+01:00 --session 3
  python -m app deadlines remove --session 3
"""
    + _PLAIN_STATUS
)
MCP = (
    """\
Speaks the Model Context Protocol on standard input and output, for assistants that start programs. Nothing else is
written to standard output. The tools: translate (a text with required and banned texts, a beginning, several
translations), look_up_terms (of the glossaries, in a text) and check (a translation: numbers, placeholders, terms, …).
The terms of the glossaries are required in translations. The command ends when standard input is closed.

example, and the same in the settings of many assistants:
  python -m app mcp --glossary /home/ana/terms.tbx
  {"mcpServers": {"pinpoint": {"command": "pinpoint", "args": ["mcp", "--glossary", "/home/ana/terms.tbx"]}}}
"""
    + _PLAIN_STATUS
)
DEMO = (
    """\
Serves a page of plain Gradio components around the editor: source, pins, bans, a glossary file, the n-best list with
scores and places, and alternatives. Programs call it with gradio_client, at /translate and /alternatives. It listens on
127.0.0.1 and port 7870 unless other ones are given, and stores nothing. Ctrl+C stops it. On a Hugging Face Space, give
--host 0.0.0.0 --port 7860.

example:
  python -m app demo --port 7900
"""
    + _PLAIN_STATUS
)
SERVE = (
    """\
Starts copies of a model in a Ray cluster, or changes their number, and waits until they answer. Each copy is a separate
process. With --engine ray, the app and its API use these copies. All machines of the cluster need the same version of
Pinpoint (`pip install 'pinpoint[server]'`) and the model: installed, in a folder of the same path, or from the hub.

examples:
  ray get-auth-token --generate
  ray start --head
  python -m app serve --replicas 2
  python -m app --engine ray
  python -m app serve --model firefox-en-pt-tiny --replicas 1 --most-replicas 4
  python -m app serve --model Helsinki-NLP/opus-mt-en-de --device cuda --gpus 0.25 --replicas 4
  RAY_AUTH_MODE=token serve status
  RAY_AUTH_MODE=token serve shutdown
"""
    + _PLAIN_STATUS
)
MODELS = (
    """\
Lists the models on this computer and the models that can be downloaded. The list is downloaded from the registry with
--update, and, if it was never downloaded before, with --direction or --install NAME. It is then kept. Downloads are
checked; the same command continues an interrupted download. The licence is kept beside the model, as LICENSE.txt.

Without a network: download the files of a model elsewhere (model, vocabulary), put them into a separate folder, and
give this folder, or a ZIP file of it, to --install.

examples:
  python -m app models --direction en-pt
  python -m app models --install firefox-en-pt-tiny
  python -m app models --install Helsinki-NLP/opus-mt-en-de
  python -m app models --install /media/usb/enpt.zip
  python -m app models --remove firefox-en-pt-tiny
  python -m app --model firefox-en-pt-tiny
"""
    + _PLAIN_STATUS
)
