from __future__ import annotations

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

SCRIPT = """
import resource
from dowse.fetch.files import allow_files
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, 300))
allow_files({wanted})
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(("soft", "wanted", "after"), [(100, 200, 200), (100, 9000, 300), (250, 200, 250)])
def test_the_limit_is_raised_as_far_as_it_may_be_and_never_lowered(soft: int, wanted: int, after: int) -> None:
    script = SCRIPT.format(soft=soft, wanted=wanted)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(after), "300"]
