"""Reads one file of measured use from bytes to a checked sheet: decode, recognise, parse."""

import hashlib

from providers.decoding import check_size, decode_text
from providers.document import open_document
from providers.errors import UnknownFormat
from providers.usage import bill, sacct, utilisation
from providers.usage.instants import zone_of
from providers.usage.records import UsageSheet
from providers.workbooks import is_workbook

FORMATS = {module.KEY: module.TITLE for module in (sacct, utilisation, bill)}


def read_usage(content: bytes, *, file_name: str, time_zone: str) -> UsageSheet:
    """Read a file of measured use; every row is counted, held, faulty or left out with a reason.

    Parameters
    ----------
    content : bytes
        The file as received.
    file_name : str
        Named in refusals.
    time_zone : str
        IANA zone of times that state no offset.

    Raises
    ------
    ProviderError
        When the file as a whole is refused: UnknownFormat, UnreadableFile, UnsafeFile, or CellError for the zone.
    """
    zone = zone_of(time_zone)
    check_size(content, file_name)
    if not is_workbook(content):
        text = decode_text(content, file_name).text
        if sacct.header_of(text) is not None:
            digest = hashlib.sha256(content).hexdigest()
            return sacct.read_sacct(text, file_name=file_name, content_hash=digest, zone=zone)
        if sacct.is_for_the_eye(text):
            message = f"{file_name} is sacct's table for the eye, whose cells are cut off; export with --parsable2"
            raise UnknownFormat(message)
    document = open_document(content, file_name)
    if bill.is_bill(document):
        return bill.read_bill(document)
    if utilisation.table_of(document) is not None:
        return utilisation.read_utilisation(document, zone)
    message = (
        f"{file_name} is no measured use that can be read: send `sacct --parsable2` with JobID, State, "
        "AllocTRES, Elapsed, Start and End; a CSV with timestamp, place and accelerators_in_use or utilisation; "
        "or a FOCUS 1.x export"
    )
    raise UnknownFormat(message)
