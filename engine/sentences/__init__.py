"""A source of several sentences: each is decoded alone, with its share of the constraints, and the results are joined.

`splitting` finds the sentences, `target_groups` divides a given translation among them, `constraint_division` the
constraints, `joining` makes one translation of the results, `divided_request` is the order of these steps.
"""
