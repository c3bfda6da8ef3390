"""The text of `--help` besides the flags: keys of lines and answers, examples, exit statuses."""

from __future__ import annotations

from textwrap import fill

from engine.cli.jobs import MAX_ALTERNATIVES, MAX_PRICED
from engine.cli.lines import MAX_LINE_BYTES
from engine.request import Follow
from engine.search_options import SearchOptions
from engine.settings import settings_of

_SEARCH_OPTIONS = fill(
    ", ".join(entry.name for entry in settings_of(SearchOptions)),
    width=120,
    initial_indent=13 * " ",
    subsequent_indent=13 * " ",
)

_STRENGTH = next(settings_of(Follow))

OVERVIEW = """\
Translate with required words, from a shell or another program.

The first four commands read JSON lines, one object per line, and write one JSON line for each, in the same order, as
soon as it is ready. `python -m engine COMMAND --help` lists the keys of a command's lines.

commands:
  translate     n-best translations that meet every constraint
  score         the model's scores of given translations
  alternatives  other words at one position of a translation
  price         what each constraint costs
  evaluate      translation quality on a test set, with and without constraints
  models        the models on this machine, and the families that can be loaded by name
"""

COMMON = f"""\
lines:
  UTF-8, one JSON object per line, at most {MAX_LINE_BYTES:,} bytes. Each answer has the number of its line:

    {{"line": 1, ...}}                                               the answer
    {{"line": 2, "error": {{"kind": "...", "message": "..."}}}}        an error; the other lines are processed

  Kinds of errors: "unreadable" (no JSON, no UTF-8, too long), "invalid" (a key, a type or a value is wrong, or the
  model cannot do it), "not_a_number" (the model's weights are damaged), "crashed" (anything else, such as a full
  memory; `translate` reports both in "status" and "reasons"). Scores are natural logarithms; offsets count Unicode
  characters from 0.

exit status:
  0    every line has an answer (unmet phrases are an answer: see "status")
  1    some lines have an error
  2    the run failed: wrong flags, no model, a file that cannot be read or written
  130  Ctrl-C; finished translations were written
  141  the reader of the output closed it
"""

TRANSLATE = f"""\
The n-best translations of each line, with every phrase in place.

keys of a line:
  text       the source; the only required key
  phrases    required text: a list of strings, or of objects with
               text         the phrase
               forms        other spellings, any of which meets the phrase: ["Fahrrads", "Fahrräder"]
               count        minimum number of occurrences (1)
               max_count    maximum number of occurrences anywhere; null: no limit (null)
               boundary     what may touch it: "word" nothing that makes it part of a word, "start" lets a longer word
                            begin with it, "compound" also end with it, its first letter small then, as German nouns
                            do, "anywhere" anything ("word")
               case         "exact", or "auto": capitalised too where a sentence begins ("exact")
               source_span  [start, end] of the term in the source, for those that come from a glossary
  avoid      banned words: a list of strings, or of objects with
               text         the words
               case         "exact", or "permissive": in any case ("exact")
  prefix     how the translation begins, character by character; it may end inside a word ("")
  locked     texts that the translation contains in this order, with or without text between: a list of strings
  suffix     how the translation ends ("")
  follow     a previous translation, to change as little of it as possible: a string, or an object with
               text         the previous translation, with a correction in its place, which phrases should require
               strength     {_STRENGTH.full_help}
               places_phrases  whether phrases that it lacks are first put into it, where they fit best (true)
  hints      whether a model that was trained with hints reads phrases, locked texts and suffix beside the source, so
             that it expects them (true)
  direction  "en-de", say (--direction, or else the model's first)
  domain     "software", say, for a model that was trained with it (--domain, or else none)
  formality  "formal" (Sie) or "informal" (du), for a model trained with it (--formality, or else the model decides)
  options    search options for this line alone:
{_SEARCH_OPTIONS}
             see the flags of these names

keys of an answer:
  status          "complete": every hypothesis meets everything; or else "unmet", "infeasible" (before any search),
                  "deadline", "cancelled", "failed"
  hypotheses      best first: text, score (as --score says), log_prob, tokens (ids, the end included),
                  token_log_probs, token_spans, placements (below), alignment (source start and end, target start and
                  end of each two words that stand for each other), unmet (numbers of phrases), locked (start and
                  end of each locked text and then the suffix), change_penalty (nats for changes to the text of
                  follow), reverse_score (of the source, given this text, in the reverse direction; null if it was
                  not computed), score_penalty (what all penalties and the reverse score take from the score;
                  score - score_penalty ranks the hypotheses)
  placements      of each phrase: its number, form, start, end; for one with a source_span, aligned (whether the form
                  stands for that span; null where the model cannot tell) and doubled ([start, end] of other words
                  that stand for it too)
  reasons         for anything but "complete": kind, message with the cure, phrase (its number, or null)
  relaxation      the fewest constraints whose removal makes an infeasible line feasible: numbers of phrases, avoid and
                  locked texts, prefix and suffix (true or false); or null
  unknown_source  [start, end] of source characters that the model cannot read
  num_steps       decoding steps
  elapsed_ms      time from the start of decoding to the answer, while other lines may be decoded too

examples:
  Two required words, the second in either of two forms:

    echo '{{"text": "A man is riding a red bicycle.", "phrases": ["Herr", {{"text": "Rad", "forms": ["Rades"]}}]}}' \\
        | python -m engine translate --nbest 1 --brief

  Plain text in, only the best translations out:

    python -m engine translate --plain --nbest 1 sentences.txt | jq -r '.hypotheses[0].text'

  A program that sends a line and waits for its answer before it sends the next:

    python -m engine translate --batch-size 1

  Lines are read ahead, eight batches at a time, to decode sentences of like length together; with --batch-size 1, with
  --deadline-ms, or typed at a terminal, each is answered before the next is read.
"""

SCORE = """\
The model's score of a given translation.

keys of a line:
  text       the source
  target     its translation, scored in the model's own segmentation into pieces; or instead
  tokens     piece ids including the end, as in a hypothesis of `translate`, with the same score
  direction, domain, formality
             as for `translate`

keys of an answer:
  text, score (log-probability per token), log_prob, tokens, token_log_probs, token_spans, alignment

example:
    echo '{"text": "A red bicycle.", "target": "Ein rotes Fahrrad."}' | python -m engine score --brief
"""

ALTERNATIVES = f"""\
Other words at one position of a translation, each with the best continuation.

The text before the word is kept, and every sentence meets the line's other constraints.

keys of a line:
  text, phrases, avoid, prefix, locked, suffix, follow, hints, direction, domain, formality, options
             as for `translate`
  offset     a character of the word to replace, counted in the translation
  target     the translation that contains the word; or instead
  tokens     its piece ids, as in a hypothesis of `translate`; with neither, the best translation of the line is taken
  count      how many alternatives at most, up to {MAX_ALTERNATIVES} (5)

keys of an answer:
  text          the translation in which the offset counts
  offset        the given offset
  alternatives  best sentence first: word, log_prob of that word in its place, hypothesis

example:
    echo '{{"text": "A red bicycle.", "target": "Ein rotes Fahrrad.", "offset": 4, "count": 3}}' \\
        | python -m engine alternatives --brief
"""

PRICE = f"""\
The price of constraints: the model's score of the best translation without them, minus the score with them.

One price for all phrases and avoided texts together, and one for each while the others are kept. A price can be
negative because beam search is not exact, and null where there is no translation to compare. At most {MAX_PRICED}
constraints per line.

keys of a line:
  text, phrases, avoid, prefix, locked, suffix, follow, hints, direction, domain, formality, options
             as for `translate`

keys of an answer:
  total        the price of all together
  phrases      the price of each, in their order
  avoid        the price of each, in their order
  constrained  the translation with them, as of `translate`
  free         the translation without

example:
    echo '{{"text": "A red bicycle.", "phrases": ["Rad"], "avoid": ["rotes"]}}' | python -m engine price --brief
"""

EVALUATE = """\
Evaluate a model on a test set: BLEU, chrF and TER by sacrebleu, terminology, constraints, speed.

keys of a line of --constraints:
  phrases, avoid, prefix, locked, suffix, follow, domain, formality
             as for `translate`; a blank line or {} has no constraints

rows of --glossary:
  source, target, other forms of the target, separated by tabs, semicolons or commas; rows with the same source are
  forms of one term. A first row may name the columns: "source", "target", "forms", or the languages of the direction. A
  term is required, in any of its forms, wherever its source stands as words of their own, as spelt or with a capital
  first letter; the longest counts.

keys of the object of --json:
  model, checksum, direction, num_segments; domain and formality where they were asked for
  bleu, chrf, ter      0 to 100, but TER may be more; the lower the better; signatures has sacrebleu's of each
  statuses             segments by the status of their translation; untranslated: lines without any, from 1, which
                       count as empty
  num_constrained      segments of which anything is required, num_constrained_met of them in full
  num_phrases          phrases and terms required, num_phrases_met of them
  num_terms            terms in the sources, by occurrence; num_terms_met with a form in the translation, each an
                       occurrence of its own
  window_overlaps      how many of the 2 or 3 words on each side of a term in the reference stand beside it in the
                       translation too, 0 to 1 (Alam et al. 2021); the mean over num_window_segments, those with a
                       term in the reference
  seconds, segments_per_second, words_per_second
                       of decoding, loading not included; words of the source

example:
    python -m engine evaluate --source test.en --reference test.de --glossary terms.tsv
"""

EVALUATION_STATUS = """\
exit status:
  0    every segment was translated
  1    some segments have no translation; standard error says which
  2    the run failed: wrong flags, no model, files that cannot be read or do not match
  130  Ctrl-C
"""

MODELS = """\
The models on this machine, bundled or converted earlier, and the model families that --model can load by hub id or
folder.

keys of a line with --json:
  kind        "model" or "family"
  of a model  name (what --model takes; the bundled one is its default), place ("bundled" or "cached"), folder,
              directions (of many languages instead: languages, any two of which make one), num_parameters,
              num_bytes (of all its files), problem (why it cannot be loaded, or ""), domains and, by direction,
              formalities (what its requests may name)
  of a family name, architecture, pattern (how its models are named), example, directions

A model is downloaded and converted when it is first named, and kept below the folder PINPOINT_CACHE (by default
~/.cache/pinpoint); --remove MODEL deletes a converted model.
"""

STATUS = """\
exit status:
  0    done
  2    the run failed: wrong flags, a file that cannot be written
"""
