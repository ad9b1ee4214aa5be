"""How often pages change, and which are worth a visit (METHODS, section 2: Revisit).

``rates`` estimates change rates from visits, ``policies`` shares a budget out, ``choice`` says which pages are due.
"""

from dowse.recrawl.revisit.choice import intervals_of, older_than, worth_most
from dowse.recrawl.revisit.policies import POLICIES, freshness
from dowse.recrawl.revisit.rates import Visit, Visits, equal_rate, expected_error, rate_of, rates_of

__all__ = [
    "POLICIES", "Visit", "Visits", "equal_rate", "expected_error", "freshness", "intervals_of", "older_than",
    "rate_of", "rates_of", "worth_most",
]  # fmt: skip
