#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    """Run the command that is named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "procurement.config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
