"""``python -m dowse``."""

from dowse.cli.main import main

if __name__ == "__main__":
    main()
