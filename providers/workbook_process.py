"""Parses one XLSX workbook in a process of its own, under limits of memory and time: `python -I workbook_process.py`.

The workbook comes by standard input. Each sheet goes to standard output as a line with its name, then a line for each
row; cells that JSON does not know are written as `{kind: text}`. It imports nothing of this package, to start at once.
"""

import datetime
import io
import json
import resource
import sys

import python_calamine

KINDS = ((datetime.datetime, "datetime"), (datetime.date, "date"), (datetime.time, "time"))


def tagged(value: object) -> dict[str, str]:
    """Return a cell that JSON does not know as its kind and text."""
    if isinstance(value, datetime.timedelta):
        return {"seconds": repr(value.total_seconds())}
    for kind, name in KINDS:
        if isinstance(value, kind):
            return {name: value.isoformat()}
    return {"text": str(value)}


def main() -> int:
    """Read, parse and write; exit status 3 says that the workbook cannot be parsed, standard error says why."""
    memory, seconds = int(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    out = sys.stdout
    try:
        workbook = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
        for described in workbook.sheets_metadata:
            if described.typ == python_calamine.SheetTypeEnum.WorkSheet:
                out.write(json.dumps(described.name) + "\n")
                for row in workbook.get_sheet_by_name(described.name).to_python(skip_empty_area=False):
                    out.write(json.dumps(row, default=tagged) + "\n")
    except (python_calamine.CalamineError, ValueError, OverflowError, MemoryError) as error:
        sys.stderr.write(f"{error or type(error).__name__}"[:500])
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
