"""``python -m muster``."""

from muster.cli.main import run

if __name__ == "__main__":
    run()
