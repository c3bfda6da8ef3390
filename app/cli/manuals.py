"""The manuals of the commands, which `COMMAND --help` shows."""

from __future__ import annotations

_EXIT_STATUS = """\
exit status:
  0    done
  1    {partly}
  2    failed: invalid flags, or a file that cannot be read or written
  130  interrupted with Ctrl-C; nothing was written
"""
TRANSLATE = """\
Translates every segment without a translation; existing translations (XLIFF, PO, TMX, tables) are kept. Glossary
terms are required in the translation of each sentence that contains their source. Exact matches of the memory are used;
fuzzy matches (75 % or more) are only counted. The output has the format of the input, with nothing else changed, and is
a draft: in XLIFF and PO no translation is marked as confirmed. An existing file is never overwritten.

DOCUMENT may be a folder, a ZIP file, or a package of Trados (.sdlppx), memoQ (.mqxlz) or XLZ: each document in it is
translated. The output is a folder with the translated documents, the archive with them in their places and all else
unchanged, or the return package. What is not translated is named, with the reason.

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
STATS = """\
Net time excludes pauses of more than --idle seconds between two actions. HTER is sacreBLEU's TER of the first proposal
that was shown against the confirmed text, over the segments whose text started from that proposal, not from the memory
or the file. Words are separated by white space; for languages without it, such as Chinese, characters are counted. The
log is not changed.

examples:
  python -m app stats                  all sessions, most recent first
  python -m app stats 12 --idle 30     session 12 with another idle limit
  python -m app stats newest --json    all figures of the newest session by segment

""" + _EXIT_STATUS.format(partly="not used")
EXPORT = """\
kinds:
  document   the translated document in its own format: confirmed and edited segments, with --with-proposals also
             the proposals for the other segments, as drafts, if they satisfy all constraints
  jsonl      every event, lossless; can be imported with `import-log`
  csv        a row for each segment: texts, times, effort, counts
  xlsx       an Excel workbook: totals, segments, costs of pins, terms and bans
  tmx        the confirmed segments as a translation memory
  xliff      all segments with their states, for any document format
  tbx        the terms added in the session
  glossary   a glossary of the document in the columns of this or another tool (--as): memoQ, Trados MultiTerm, Crowdin,
             Smartling, Lokalise, Phrase, MateCat or DeepL; what the file cannot keep is written to standard error
  zip        the translated documents that were opened together with this one: the ZIP file or package that they came
             from, with everything else in it unchanged, or a new ZIP file

SESSION is a number listed by `stats`, or "newest". The log is not changed.

examples:
  python -m app export newest xlsx -o report.xlsx
  python -m app export newest glossary --as memoq --named terms.tbx

""" + _EXIT_STATUS.format(partly="not used")
IMPORT = """\
Imports the session with all its events, with its old number if that is free. Refuses a file that was changed after the
export, and a session that the log already contains.

example:
  python -m app import-log manual.log.jsonl

""" + _EXIT_STATUS.format(partly="not used")
BACKUP = """\
The copy is a consistent snapshot of the log and is checked after writing. If the log has keys of the HTTP API, they are
copied into FILE.keys. To restore a copy, stop the app and start it with --log FILE, which also finds FILE.keys; or
replace the log and its .keys file by the copies. FILE must not exist. A log of an older Pinpoint, which the app updates
at its next start, is copied unchanged.

example:
  python -m app backup backups/2026-01-31.sqlite

""" + _EXIT_STATUS.format(partly="not used")
VERIFY = """\
Each event has the hash of the one before it. A session whose events were removed, reordered or changed later is listed
with the first wrong event. The texts of segments and the glossaries have no hashes. The log is not changed.

example:
  python -m app verify --log backups/2026-01-31.sqlite

""" + _EXIT_STATUS.format(partly="a session is incomplete or was changed")
RESCUE = """\
Reads around the damaged pages of the log, which is not changed, and writes a new log FILE. A session is in it if its
document and all its segments can be read; `verify --log FILE` lists sessions that lack events. The readable segments of
other sessions are written to FILE.texts.csv. FILE must not exist. A backup may have more: compare with `stats`.

example:
  python -m app rescue rescued.sqlite --log log.sqlite
  python -m app --log rescued.sqlite

""" + _EXIT_STATUS.format(partly="a session is not in the new log")
DEPENDENCIES = """\
Lists the packages that Pinpoint needs on this system, and those that these need, with version and licence as the
packages state it. --sbom writes them as a bill of materials: CycloneDX 1.6, JSON. The same packages give the same file.

example:
  python -m app dependencies --sbom pinpoint.cdx.json

""" + _EXIT_STATUS.format(partly="not used")
KEYS = """\
The HTTP API (start the app with --api) answers programs that send a key. With --sign-in, a person opens the page with
the key instead of the access token: the log names them, each has a document of their own on the screen, and sees the
projects that they are a member of (see `people`). A key is shown once, when it is created; the file beside the log has
only its hash. Keys of the same NAME belong to one person and share glossaries. A key can be created and revoked while
the app runs.

--address is for programs that cannot send a key, such as the plug-ins of OPUS-CAT: their requests from this address
count as requests with this key. Everybody who uses that computer can then do the same. Behind a proxy, all requests
come from the address of the proxy, unless the app is started with --trust-proxy.

examples:
  python -m app keys create "Ana Trados"
  python -m app keys create "Ana Silva" --sign-in
  python -m app keys create Weblate --characters 10000000 --requests 3000
  python -m app keys create "Ben memoQ" --address 192.168.1.20
  python -m app keys list
  python -m app keys revoke 2

""" + _EXIT_STATUS.format(partly="not used")
PEOPLE = """\
Once somebody has a role, people see only the projects that they are members of, with the documents, glossaries and
memories in them; `keys create NAME --sign-in` gives a role, too. A person is known by the NAME of their keys, or by the
name that a proxy sends. Roles:

  translator     works in the documents of their projects, and opens documents there, or in a project of their own
  reviewer       the same
  manager        also creates projects, and changes and deletes those that they are members of, with their documents
                 and their members; adds models
  administrator  all of this in all projects; removes models

Changes count at once, also while the app runs. The owner, with the access token, is an administrator without a name.

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
  python -m app people forget "Ana Silva"

`forget` cannot be undone: a pseudonym replaces the name in all events, whose hashes are computed again, and an event in
each document says so. Texts, exports and backups stay as they are.

""" + _EXIT_STATUS.format(partly="not used")
ASSIGNMENTS = """\
A document is assigned to one member of its project (see `people`), and each of its segments to one; the newest
assignment counts. Others read the segments of a person and comment, but do not change them; reviewers and managers can.

Changes count within a second, also while the app runs; open pages show them within twenty. They are in the log.

examples:
  python -m app assignments list
  python -m app assignments assign 3 "Ana Silva"
  python -m app assignments assign 3 "Ben" --part 1-40
  python -m app assignments take-back 3 --part 21-40
  python -m app assignments take-back 3

""" + _EXIT_STATUS.format(partly="not used")
MCP = """\
Speaks the Model Context Protocol on standard input and output, for assistants that start programs. Nothing else is
written to standard output. The tools: translate (a text with required and banned texts, a beginning, several
translations), look_up_terms (of the glossaries, in a text) and check (a translation: numbers, placeholders, terms, …).
The terms of the glossaries are required in translations. The command ends with its input.

example, and the same in the settings of many assistants:
  python -m app mcp --glossary /home/ana/terms.tbx
  {"mcpServers": {"pinpoint": {"command": "pinpoint", "args": ["mcp", "--glossary", "/home/ana/terms.tbx"]}}}

""" + _EXIT_STATUS.format(partly="not used")
SERVE = """\
Starts copies of a model in a Ray cluster, or changes their number, and waits until they answer. Each is a process with
a model of its own. The app and its API use them with --engine ray. All machines of the cluster need the same Pinpoint,
with `pip install 'pinpoint[server]'`, and the model: installed, in a folder of the same path, or from the hub.

examples:
  ray get-auth-token --generate
  ray start --head
  python -m app serve --replicas 2
  python -m app --engine ray
  python -m app serve --model firefox-en-pt-tiny --replicas 1 --most-replicas 4
  python -m app serve --model Helsinki-NLP/opus-mt-en-de --device cuda --gpus 0.25 --replicas 4
  RAY_AUTH_MODE=token serve status
  RAY_AUTH_MODE=token serve shutdown

""" + _EXIT_STATUS.format(partly="not used")
MODELS = """\
Lists the models on this computer and those that can be downloaded. The registry is asked for its list only with
--update, or if the list was never read, with --direction or --install NAME. The list is then kept. Downloads are
checked; the same command continues an interrupted one. The licence is kept beside the model, as LICENSE.txt.

Without a network: download the files of a model elsewhere (model, vocabulary), put them into a folder of their own, and
give this folder, or a ZIP file of it, to --install.

examples:
  python -m app models --direction en-pt
  python -m app models --install firefox-en-pt-tiny
  python -m app models --install Helsinki-NLP/opus-mt-en-de
  python -m app models --install /media/usb/enpt.zip
  python -m app models --remove firefox-en-pt-tiny
  python -m app --model firefox-en-pt-tiny

""" + _EXIT_STATUS.format(partly="not used")
