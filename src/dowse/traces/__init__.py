"""Traces: what people looked at, from access logs (METHODS, section 4, collaborative; Aggarwal, KDD 2002).

The way of a line: ``readers`` make an access of it (one module a format), ``rules`` say whether somebody looked at a
page, ``privacy`` makes a number of the user, ``sessions`` says what of a user's accesses counts, ``spool`` and
``merge`` put all in order, and ``columns`` are what is stored and mapped into memory again, as
:class:`dowse.model.traces.Traces`.

It promises:

* no user's name or address is written anywhere, nor kept longer than it takes to read the log;
* nothing that a log holds ends an import: a line that cannot be read is counted by what is wrong with it;
* the memory that an import takes does not grow with the log;
* the same logs give the same traces, in whatever order they are named;
* a folder of traces from a stranger does no harm to who reads it.
"""

from dowse.traces.columns import Imported, is_traces, load_traces, read_imported
from dowse.traces.import_logs import Reading, check_folder, import_logs
from dowse.traces.privacy import UserKey, default_key_file, open_key
from dowse.traces.readers import FORMATS, STANDARD_INPUT
from dowse.traces.rules import LeftOut, Pages
from dowse.traces.sessions import Limits
from dowse.traces.summary import Coverage, Figures, covered, describe

__all__ = [
    "FORMATS", "STANDARD_INPUT", "Coverage", "Figures", "Imported", "LeftOut", "Limits", "Pages", "Reading", "UserKey",
    "check_folder", "covered", "default_key_file", "describe", "import_logs", "is_traces", "load_traces",
    "open_key", "read_imported",
]  # fmt: skip
