"""The parts of `--help` that are not about flags: keys of lines and answers, examples, exit statuses."""

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

_STRENGTH = settings_of(Follow)[0]

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

  Kinds of errors: "unreadable" (not JSON, not UTF-8, too long), "invalid" (a key, a type or a value is wrong, or the
  model does not support it), "not_a_number" (the model's weights are damaged), "crashed" (any other error, such as full
  memory; `translate` reports the last two in "status" and "reasons"). Scores are natural logarithms; offsets count
  Unicode characters from 0.

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
               boundary     "word": the phrase consists of whole words; "start": it may be the beginning of a longer
                            word; "compound": also the end of one, then with a small first letter as in German
                            compounds; "anywhere": it may stand inside of words ("word")
               case         "exact", or "auto": also capitalised at the beginning of a sentence ("exact")
               source_span  [start, end] of the term in the source, for a phrase from a glossary
               is_expected  true if the model usually writes the phrase by itself, as it does numbers: it is then
                            required only if the best translation lacks it (false)
               replaces     for an expected phrase: texts that the model may write instead of it, which it replaces
  avoid      banned words: a list of strings, or of objects with
               text         the words
               case         "exact", or "permissive": in capital and small letters ("exact")
  prefix     the exact beginning of the translation; it may end inside a word ("")
  locked     texts that the translation contains in this order, with or without text between: a list of strings
  suffix     the exact end of the translation ("")
  follow     a previous translation; the new one differs from it as little as possible: a string, or an object with
               text         the previous translation, with the correction in its place; also require it in phrases
               strength     {_STRENGTH.full_help}
               places_phrases  true: phrases that are not in it are first inserted where they fit best (true)
  hints      true: the prompt of a language model names the phrases, so that it expects them (true)
  direction  such as "en-de" (default: --direction, otherwise the first of the model)
  domain     such as "software", for a model that was trained with it (default: --domain, otherwise none)
  formality  "formal" (Sie) or "informal" (du), for a model that was trained with it (default: --formality, otherwise
             the model decides)
  split_sentences  true: each sentence of the text is translated alone, with its share of the constraints; false: the
             text is translated as one sentence (true, without --no-split-sentences)
  options    search options for this line alone:
{_SEARCH_OPTIONS}
             see the flags of these names

keys of an answer:
  status          "complete": every hypothesis meets all constraints; otherwise "unmet", "infeasible" (found before
                  the search), "deadline", "cancelled" or "failed"
  hypotheses      best first: text, score (see --score), log_prob, tokens (ids, with each end), token_log_probs,
                  token_spans, placements (below), alignment (source start and end, target start and end of each pair
                  of aligned words), unmet (numbers of phrases), locked (start and end of each locked text, then of
                  the suffix), change_penalty (nats for changes to the text of follow), reverse_score (of the source,
                  given this text, in the reverse direction; null if it was not computed), score_penalty (the sum of
                  all penalties and of the reverse score; score - score_penalty ranks the hypotheses), listed (below)
  listed          texts from lists beside the model (--lexicon): origin ("set_phrase", or "lexicon" for a word that the
                  model did not translate), form, start, end, source_span; not with --brief
  placements      of each phrase: its number, form, start, end; for a phrase with a source_span also aligned (true if
                  the form translates that span; null if the model cannot determine it) and doubled ([start, end] of
                  other words that translate the span, too)
  reasons         unless "complete": kind, message with a solution, phrase (its number, or null); of the kind
                  "not_divided": why a text of several sentences was translated as one
  relaxation      the smallest set of constraints whose removal makes an infeasible line feasible: numbers of phrases,
                  avoid and locked texts, prefix and suffix (true or false); or null
  unknown_source  [start, end] of source characters that the model cannot read
  sentences       [start, end] of each source sentence that was translated alone; empty if the text was translated as
                  one sentence
  num_steps       decoding steps
  elapsed_ms      time from the start of decoding to the answer; other lines may be decoded in this time, too

examples:
  Two required words, the second in either of two forms:

    echo '{{"text": "A man is riding a red bicycle.", "phrases": ["Herr", {{"text": "Rad", "forms": ["Rades"]}}]}}' \\
        | python -m engine translate --nbest 1 --brief

  Plain text in, only the best translations out:

    python -m engine translate --plain --nbest 1 sentences.txt | jq -r '.hypotheses[0].text'

  A program that sends a line and waits for its answer before it sends the next:

    python -m engine translate --batch-size 1

  Eight batches of lines are read in advance, so that sentences of similar length are decoded together. With
  --batch-size 1, with --deadline-ms, or at a terminal, each line is answered before the next one is read.
"""

SCORE = """\
The model's score of a given translation.

keys of a line:
  text       the source
  target     its translation, which the model splits into pieces itself; or instead
  tokens     the piece ids with the end of each sentence, as in a hypothesis of `translate`, which gives the same score
  direction, domain, formality, split_sentences
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
  text, phrases, avoid, prefix, locked, suffix, follow, hints, direction, domain, formality, split_sentences, options
             as for `translate`
  offset     a character of the word to replace, counted in the translation
  target     the translation that contains the word; or instead
  tokens     its piece ids, as in a hypothesis of `translate`; without both, the best translation of the line is used
  count      maximum number of alternatives, up to {MAX_ALTERNATIVES} (5)

keys of an answer:
  text          the translation that the offset refers to
  offset        the given offset
  alternatives  best sentence first: word, log_prob of that word in its place, hypothesis

example:
    echo '{{"text": "A red bicycle.", "target": "Ein rotes Fahrrad.", "offset": 4, "count": 3}}' \\
        | python -m engine alternatives --brief
"""

PRICE = f"""\
The price of constraints: the model's score of the best translation without them, minus the score with them.

The answer has one price for all phrases and avoided texts together, and one for each of them while the others are
kept. A price can be negative because beam search is not exact, and null if there is no translation to compare with. A
line can have at most {MAX_PRICED} constraints.

keys of a line:
  text, phrases, avoid, prefix, locked, suffix, follow, hints, direction, domain, formality, split_sentences, options
             as for `translate`

keys of an answer:
  total        the price of all constraints together
  phrases      the price of each phrase, in order
  avoid        the price of each avoided text, in order
  constrained  the translation with the constraints, as in an answer of `translate`
  free         the translation without the constraints

example:
    echo '{{"text": "A red bicycle.", "phrases": ["Rad"], "avoid": ["rotes"]}}' | python -m engine price --brief
"""

EVALUATE = """\
Evaluate a model on a test set: BLEU, chrF and TER by sacrebleu, terminology, constraints, speed.

keys of a line of --constraints:
  phrases, avoid, prefix, locked, suffix, follow, domain, formality, split_sentences
             as for `translate`; a blank line or {} has no constraints

rows of --glossary:
  source, target, other forms of the target, separated by tabs, semicolons or commas; rows with the same source are
  forms of one term. A first row may name the columns: "source", "target", "forms", or the languages of the direction. A
  term is required, in any of its forms, wherever its source occurs as whole words, as spelt or with a capital first
  letter. Where several terms match, the longest one is used.

keys of the object of --json:
  model, checksum, direction, num_segments; domain and formality if they were requested
  bleu, chrf, ter      0 to 100, but TER may be more, and a lower TER is better; signatures: sacrebleu's signature of
                       each
  statuses             number of segments by the status of their translation; untranslated: lines without a
                       translation, counted from 1, which are scored as empty
  num_constrained      segments with constraints; num_constrained_met: of these, segments that meet all of them
  num_phrases          required phrases and terms; num_phrases_met: of these, how many the translations contain
  num_terms            occurrences of terms in the sources; num_terms_met: of these, how many have a form in the
                       translation, where each form in the translation is counted once
  window_overlaps      the share of the 2 or 3 words on each side of a term in the reference that are also beside it in
                       the translation, 0 to 1 (Alam et al. 2021); the mean over the num_window_segments segments with
                       a term in the reference
  seconds, segments_per_second, words_per_second
                       of decoding, without loading; words of the source

example:
    python -m engine evaluate --source test.en --reference test.de --glossary terms.tsv
"""

EVALUATION_STATUS = """\
exit status:
  0    every segment was translated
  1    some segments have no translation; standard error lists them
  2    the run failed: wrong flags, no model, files that cannot be read or do not match
  130  Ctrl-C
"""

MODELS = """\
The models on this machine, bundled or converted earlier, and the model families that --model can load by hub id or
folder.

keys of a line with --json:
  kind        "model" or "family"
  of a model  name (the value of --model; the default is the bundled model), place ("bundled" or "cached"), folder,
              directions (for a model of many languages: languages, of which any two are a direction),
              num_parameters, num_bytes (of all its files), needed_bytes (of memory, to load it), family (of a language
              model), licence, problem (why it cannot be loaded, or ""), domains and, by direction, formalities (the
              values that its requests may have)
  of a family name, architecture, pattern (of the names of its models), example, directions

A model is downloaded and converted when it is first used, and kept in the folder PINPOINT_CACHE (by default
~/.cache/pinpoint); --remove MODEL deletes a converted model.
"""

STATUS = """\
exit status:
  0    done
  2    the run failed: wrong flags, a file that cannot be written
"""
