"""Files that are either the old one or the whole new one."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path

__all__ = ["replacing", "write_atomically"]

_LETTERS = 50  # of the name of what is replaced


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Hand out a file beside another one, whose place it takes if the block goes well.

    Raises
    ------
    OSError
        With the name of `path`; the old file is still there.
    """
    # opened by name, not with mkstemp, so that the umask decides who may read the file
    # a name has at most 255 bytes, and a letter up to four
    part = path.with_name(f".{path.name[:_LETTERS]}.{secrets.token_hex(8)}")
    try:
        yield part
        part.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.errno is not None:
            # a full disk does not say which file it is about
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace a file in one step: a reader, or a kill, finds the old or the new one.

    Parameters
    ----------
    path : Path
        Its parent folders are made where they are missing.
    content : str or bytes
        Text is written as UTF-8 with the line ends it has.

    Raises
    ------
    OSError
        When it cannot be written, with its name; the old file is still there.
    """
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part, part.open("xb") as file:
        file.write(data)
