"""``python -m dowse``."""

from dowse.cli.main import main

main()
