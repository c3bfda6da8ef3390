"""Beam search under lexical constraints: dynamic beam allocation (Post & Vilar 2018) over ragged batches.

    phrases.py         constraints as the search sees them: texts, pieces, boundary rules
    matching.py        finds texts in a stream of characters, by the boundary rules
    automaton.py       the phrases of one sentence: occurrences met, and progress with the others
    sharing.py         phrases that share a form: which of them the occurrences can meet
    shared_matches.py  the same while a text is read
    prefix_avoid.py    the prefix and the avoided texts of one sentence
    max_count.py       the phrases of one sentence with a `max_count`
    tracker.py         the four automata above for a batch of hypotheses, as tables
    indexed.py         the pieces of a vocabulary, indexed by what they write
    sentence.py        the search's task for one sentence, and its result
    rows.py            the live hypotheses of all sentences, and their candidates
    scores.py          masked scores of a step: all log-probabilities, or the scores of the fused output layer
    leaders.py         the best continuations of each sentence
    candidates.py      which tokens may follow which rows, with score and bank
    banks.py           how many places of the beam each bank gets
    steps.py           the interface of a model to the search
    beam.py            one step of dynamic beam allocation, and the loop around it
    endings.py         sentences that a hypothesis begins, and those that come too late
    finished.py        finished hypotheses
    follow.py          the cost of leaving a previous text
    stopping.py        scores, and when a sentence may stop
    compiled.py        the search of one sentence as one call of compiled code
    layouts.py         pieces that differ only in spaces and last characters, so that they lead to the same node
    batching.py        which sentences share a step
    next_words.py      which whole words may come next
    arrays.py          the types of NumPy arrays

The search uses a model only through `steps.StepDecoder`, and text only through `phrases.PieceTexts`.
"""
