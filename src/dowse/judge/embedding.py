"""The mean embedding of a text, from the static vectors that WordLlama ships in its package (the only module that knows
them). Optional: ``pip install 'dowse[embed]'``.

The library's own loader asks the network for whatever it does not find where it looks, and later releases look for
their own tokenizer in the wrong folder. So the two files are opened here, by the libraries it is made of: nobody asks.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError

__all__ = ["DIMENSIONS", "MODEL", "check_installed", "embed"]

MODEL = "wordllama l2_supercat 256"
DIMENSIONS = 256
_LONGEST = 8_000  # characters that are looked at: cutting text into tokens takes nearly all of the time
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"


def check_installed() -> None:
    """TopicError when the extra is missing."""
    if any(find_spec(name) is None for name in ("wordllama", "tokenizers", "safetensors")) or not all(
        (_folder() / name).is_file() for name in (_TOKENIZER, _WEIGHTS)
    ):
        raise TopicError("needs embeddings: install them with: pip install 'dowse[embed]'")


def _folder() -> Path:
    """Where the package keeps its files."""
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@cache
def _model() -> tuple[Any, NDArray[np.float32]]:
    check_installed()
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = _folder()
    try:
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        [vectors] = load_file(folder / _WEIGHTS).values()
    except Exception as error:  # the libraries raise plain Exceptions
        raise TopicError(f"the embeddings of the installed wordllama cannot be read: {error}") from None
    return tokenizer, vectors.astype(np.float32)


def embed(text: str) -> NDArray[np.float64]:
    """The mean of the vectors of a text's tokens, of length 1; zeros for a text without any. TopicError when the extra
    is missing."""
    tokenizer, vectors = _model()
    tokens = tokenizer.encode(text[:_LONGEST].encode("utf-8", "replace").decode(), add_special_tokens=False).ids
    total = (
        vectors[np.minimum(tokens, len(vectors) - 1)].sum(axis=0, dtype=np.float64) if tokens else np.zeros(DIMENSIONS)
    )
    length = float(np.sqrt(total @ total))
    return total / length if length > 0 else total
