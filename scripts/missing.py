"""What a script says when the Python that runs it lacks a package."""

import shlex
import sys


def how_to_get(package):
    command = shlex.join([".venv/bin/python", *sys.argv])
    return f"needs {package}, which scripts/install_deps.sh installs into .venv; after that: {command}"
