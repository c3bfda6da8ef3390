"""Beam search under lexical constraints: dynamic beam allocation (Post & Vilar 2018) over ragged batches.

    phrases.py   what a phrase is to the search: its texts, its pieces, its boundary rule
    matching.py  finding texts in a stream of characters, by the boundary rules
    automaton.py which phrases of one sentence a text has met and how far it is with the others
    sharing.py   which of the phrases that share a form the occurrences of a text can serve
    guard.py     what a text must not contain, and what it must begin with
    tracker.py   all that for a batch of hypotheses, as tables
    arrays.py    the types of what the search keeps: NumPy arrays; only what the model puts out is torch's
    banks.py     how many places of the beam each bank gets
    scores.py    what a step tells of the tokens that may come: all log-probabilities, or the fused output layer's
    rows.py      the live hypotheses of all sentences
    beam.py      one step, and the loop around it
    finished.py  finished hypotheses, and when a sentence has enough of them
    words.py     which whole words may come next

The search knows a model only through `beam.StepDecoder`, and text only through `phrases.PieceTexts`.
"""
