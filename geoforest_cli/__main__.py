"""``python -m geoforest_cli``."""

from geoforest_cli.cli.main import main

if __name__ == "__main__":
    main()
