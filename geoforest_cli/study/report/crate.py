"""What a run has left, described as a research object: a Process Run Crate.

The profile is https://w3id.org/ro/wfrun/process/0.5 on RO-Crate 1.1: the folder is the crate,
each origin of the rows (a commit, a processor, a span of time) an action that geoforest carried
out on the config and its data sets, with the folder's files as the result. The package rocrate
would write this file, too, but brings ten more packages (requests, urllib3 and others).
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from pydantic import TypeAdapter

from geoforest_cli.core.files import write_atomically
from geoforest_cli.study.claims.storage import (
    RunInfo,
    damaged,
    figure_names,
    read_as,
    read_run_info,
)
from geoforest_cli.study.engine.provenance import DIFF, SCHEMA, swhid

__all__ = ["FILE", "write"]

Entity: TypeAlias = dict[str, Any]

FILE = "ro-crate-metadata.json"
_KNOWN = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
_RECORD = TypeAdapter(dict[str, Any])
_ARCHIVE = "https://archive.softwareheritage.org/"
_FORMATS = {".parquet": "application/vnd.apache.parquet", ".diff": "text/x-diff"}


def write(folder: Path) -> None:
    """Write ``ro-crate-metadata.json`` beside the record of a run; equal files give equal bytes.

    Without a record (of a run that was interrupted), and with one of an older version, there is
    no crate.

    Parameters
    ----------
    folder : Path
        ``results/<config>/<profile>``.

    Raises
    ------
    UserError
        If the record is damaged.
    """
    path = folder / "provenance.json"
    record = read_as(_RECORD, path, "run") if path.is_file() else {}
    if record.get("schema") != SCHEMA:
        (folder / FILE).unlink(missing_ok=True)
        return
    about = read_run_info(folder)
    try:
        graph = list(_graph(folder, record, about))
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise damaged(path, f"{type(error).__name__}: {error}", "run") from None
    text = json.dumps(
        {"@context": _KNOWN["context"], "@graph": graph}, indent=1, ensure_ascii=False
    )
    write_atomically(folder / FILE, text + "\n")


def _graph(folder: Path, record: Mapping[str, Any], about: RunInfo) -> Iterator[Entity]:
    files = list(_files(folder, about))
    inputs = list(_inputs(record))
    actions = list(_actions(record, inputs, files))
    software = {one["@id"]: one for one, _ in actions}
    yield _KNOWN["descriptor"]
    title = f"{about['title']} ({about['caution']})" if about["caution"] else about["title"]
    yield {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": {"@id": _KNOWN["profile"]["@id"]},
        "name": title,
        "description": f"What geoforest found for the config {about['name']}, profile "
        f"{about['profile']}: rows, figures, tables, verdicts on claims.",
        "datePublished": record["last_run"]["ended"],
        "license": {"@id": "#licence"},
        "hasPart": _ids(files),
        "mentions": _ids([action for _, action in actions]),
    }
    yield _KNOWN["profile"]
    yield _KNOWN["licence"]
    yield from software.values()
    yield from (action for _, action in actions)
    yield from inputs
    yield from files


def _files(folder: Path, about: RunInfo) -> Iterator[Entity]:
    listed = dict(_KNOWN["files"])
    for name in figure_names(about):
        listed |= {f"{name}.{ending}": "The figure" for ending in ("svg", "pdf", "png")}
    for name, what in listed.items():
        path = folder / name
        if not path.is_file():
            continue
        data = path.read_bytes()
        kind = _FORMATS.get(path.suffix) or mimetypes.guess_type(name)[0]
        yield {
            "@id": name,
            "@type": "File",
            "name": name,
            "description": what,
            "encodingFormat": kind or "application/octet-stream",
            "contentSize": str(len(data)),
            "sha256": hashlib.sha256(data).hexdigest(),
        }


def _inputs(record: Mapping[str, Any]) -> Iterator[Entity]:
    config = record["config"]
    for file in (config, *config["extends"]):
        yield {
            "@id": f"#config-{file['name']}",
            "@type": "CreativeWork",
            "name": f"config {file['name']}",
            "description": "Its text is in provenance.json.",
            "sha256": file["sha256"],
        }
    for name, version in record["data"].items():
        yield {
            "@id": f"#data-{name}",
            "@type": "CreativeWork",
            "name": f"data set {name}",
            "version": str(version),
        }
    values = {"profile": config["profile"], "seed": config["seed"]}
    if config["overrides"]:
        values["overrides"] = " ".join(config["overrides"])
    for name, value in values.items():
        yield {"@id": f"#{name}", "@type": "PropertyValue", "name": name, "value": value}


def _actions(
    record: Mapping[str, Any], inputs: list[Entity], files: list[Entity]
) -> Iterator[tuple[Entity, Entity]]:
    """Each origin of the rows: the software, and what it did."""
    config, last = record["config"], record["last_run"]
    words = ["geoforest", "run", config["name"], "--profile", config["profile"]]
    words += [word for one in config["overrides"] for word in ("--set", one)]
    git = last["git"] or {}
    alone = {"first": last["started"], "last": last["ended"], "commit": git.get("commit")}
    for number, made in enumerate(record["made"]["origins"] or [alone], start=1):
        software = _software(made, str(last["packages"].get("geoforest", "")))
        details = [f"{made[name]} {what}" for name, what in _DETAILS.items() if made.get(name)]
        yield (
            software,
            {
                "@id": f"#run-{number}",
                "@type": "CreateAction",
                "name": f"Run of {config['name']}, profile {config['profile']}",
                "description": f"{' '.join(words)} ({', '.join(details)})"
                if details
                else " ".join(words),
                "startTime": made["first"],
                "endTime": made["last"],
                "actionStatus": "http://schema.org/CompletedActionStatus",
                "instrument": {"@id": software["@id"]},
                "object": _ids(inputs),
                "result": _ids(files),
            },
        )


_DETAILS = {"records": "cells", "seconds": "seconds of computing", "processor": "as processor"}


def _software(made: Mapping[str, Any], version: str) -> Entity:
    """Return geoforest as one commit has it, or as it was installed."""
    tool = {
        "@type": "SoftwareApplication",
        "name": "geoforest",
        "softwareVersion": str(made.get("geoforest") or version or "unknown"),
    }
    commit, _, changed = str(made.get("commit") or "").partition(" ")
    known = swhid(commit)
    if known is None:
        return {"@id": "#geoforest", **tool}
    if changed:
        tool["description"] = f"The commit {changed}; {DIFF} may hold them."
        return {"@id": f"#geoforest-{commit}-changed", **tool, "url": _ARCHIVE + known}
    return {"@id": _ARCHIVE + known, **tool, "identifier": known, "url": _ARCHIVE + known}


def _ids(entities: list[Entity]) -> list[dict[str, str]] | dict[str, str]:
    ids = [{"@id": entity["@id"]} for entity in entities]
    return ids[0] if len(ids) == 1 else ids
