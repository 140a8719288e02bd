"""Files of a run with other content, and the checksums that go with it."""

import csv
import json

from geoforest_cli.study.results import record


def edit_record(folder, change):
    """Let `change` alter the content of a record; its checksum is that of the new content."""
    path = folder / "record.json"
    content = json.loads(path.read_text())
    content.pop("sha256")
    change(content)
    content["sha256"] = record._checksum(content)
    path.write_text(json.dumps(content))


def signed(folder, name):
    """Put the digest of a file into the record."""
    digest = record.file_digest(folder / name)
    edit_record(folder, lambda content: content["files"].update({name: digest}))


def edit_claims(folder, **changes):
    """Change the first claim."""
    edit_record(folder, lambda content: content["claims"][0].update(changes))


def edit_summary(folder, edit):
    """Change lines of a summary; those for which `edit` returns False go."""
    path = folder / "summary.csv"
    with path.open() as file:
        lines = list(csv.DictReader(file))
    names = list(lines[0])
    kept = [line for line in lines if edit(line) is not False]
    with path.open("w") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(kept)
    signed(folder, "summary.csv")
