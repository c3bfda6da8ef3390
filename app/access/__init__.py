"""Who may do what: the actor of each piece of work, roles, and the rights that follow from role and membership.

Nothing here has a default: a function that reads or changes something for somebody takes the `Actor`. The tables of
people and members are in `app.log.people`, which hands their content to `Memberships`.
"""
