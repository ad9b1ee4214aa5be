"""What installed packages add to Dowse, by entry points: strategies, judges, search engines, targets of what
these find, converters, extractors.

A package names what it adds in its ``pyproject.toml``::

    [project.entry-points."dowse.strategies"]
    fresh-first = "my_package.orders:FreshFirst"

Nothing of it is imported before it is asked for by name, and one that cannot be imported harms no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dowse.model.errors import TopicError, UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["KINDS", "Plugin", "find_plugin", "find_plugins", "first_sentence", "missing_members"]

KINDS = {
    "strategy": "dowse.strategies",
    "judge": "dowse.judges",
    "converter": "dowse.converters",
    "search engine": "dowse.engines",
    "target": "dowse.targets",
    "extractor": "dowse.extractors",
}
"""kind of addition -> its group of entry points"""


@dataclass(frozen=True, slots=True)
class Plugin:
    """Something that a package adds."""

    kind: str
    name: str
    package: str  # its name and version
    entry: EntryPoint

    def load(self) -> Any:
        """Import it; TopicError when that fails."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:  # somebody else's code
            raise self.fault(error) from error

    def make(self, **arguments: Any) -> Any:
        """Call what was imported; TopicError when that fails."""
        factory = self.load()
        try:
            return factory(**arguments)
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            raise self.fault(error) from error

    def fault(self, error: BaseException) -> TopicError:
        """What is wrong with it, on one line."""
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return TopicError(f"the {self.kind} {self.name} of the package {self.package} cannot be used: {told}")


def find_plugins(kind: str) -> dict[str, Plugin]:
    """name -> what installed packages add of this kind. Of several with one name, the first that is found."""
    from importlib.metadata import entry_points  # takes 20 ms to load, and most crawls ask for nothing of it

    found: dict[str, Plugin] = {}
    for entry in entry_points(group=KINDS[kind]):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown"
        found.setdefault(entry.name, Plugin(kind, entry.name, package, entry))
    return dict(sorted(found.items()))


def find_plugin(kind: str, name: str) -> Plugin | None:
    """What installed packages add under this name."""
    return find_plugins(kind).get(name)


def missing_members(thing: object, port: type) -> list[str]:
    """What an object lacks of a port, a Protocol."""
    return [name for name in vars(port) if not name.startswith("_") and not hasattr(thing, name)]


def first_sentence(thing: object) -> str:
    """The first paragraph of its documentation, on one line; empty where there is none."""
    import inspect  # as above

    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
