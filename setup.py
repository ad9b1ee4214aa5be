"""The compiled core, which is optional: where it cannot be built, Dowse is installed without it (see src/core)."""

from glob import glob

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "dowse._core",
            sorted(glob("src/core/*.c")),
            depends=sorted(glob("src/core/*.h")),
            optional=True,
        )
    ]
)
