"""Which patterns to fetch again: a cover of the objects at little cost, the way to it, and the plan of both."""
