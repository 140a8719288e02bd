"""What a run has left in its folder, for the command line and notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa

from geoforest_cli.core.errors import UserError
from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.results import Answer, Verdicts
from geoforest_cli.study.claims.storage import RunInfo, damaged, figures, read_claims, read_run_info

__all__ = ["Result", "results"]


@dataclass(frozen=True)
class Result:
    """The results of a run.

    Attributes
    ----------
    name, profile : str
        The config's, and its size.
    caution : str
        Why it does not judge the paper; empty at the published size.
    folder : Path
        With all files.
    rows : DataFrame
        One row per value, tidy.
    judged : Verdicts
        Sentences and claims with their verdicts, as in ``claims.json``.
    answer : Answer, optional
        The question of the config, the sentence that answers it, and the verdict that decides.
    figures : dict of str to Path
        The SVG files, by name; the first is the figure.
    agreement : Agreement, optional
        With the published values, of a run that judges the paper.
    """

    name: str
    profile: str
    caution: str
    folder: Path
    rows: pd.DataFrame
    judged: Verdicts
    figures: dict[str, Path]
    answer: Answer | None = None
    agreement: Agreement | None = None

    @property
    def figure(self) -> Path | None:
        """The figure as SVG; .pdf and .png lie beside it."""
        return next(iter(self.figures.values()), None)

    @property
    def verdicts(self) -> pd.DataFrame:
        """One line per claim: what it is, its verdict, and the numbers that decide it.

        ``preliminary`` is the verdict that the rows so far suggest for a claim that is not judged.
        """
        names = ["id", "sentence", "reading", "verdict", "preliminary", "reason"]
        names += ["estimate", "low", "high", "n", "says"]
        claims = [claim.model_dump(include=set(names)) for claim in self.judged.claims]
        return pd.DataFrame(claims, columns=names)

    @property
    def sentences(self) -> pd.DataFrame:
        """One line per sentence of the paper: its verdict, and whether it was registered."""
        names = ["key", "verdict", "reason", "registration", "hangs", "section"]
        found = [{**one.model_dump(include=set(names)), "text": one.text}
                 for one in self.judged.sentences]  # fmt: skip
        return pd.DataFrame(found, columns=[*names, "text"])


def read_rows(path: Path) -> pd.DataFrame:
    """Read ``rows.parquet`` as a run has left it.

    Raises
    ------
    UserError
        If it is damaged.
    """
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise damaged(path, error, "run") from None


def results(folder: str | Path, profile: str = "paper") -> Result:
    """Read the results of a run.

    Parameters
    ----------
    folder : str or path
        ``results/<config>``, or the folder of one profile in it.
    profile : str
        Which, if `folder` has several.

    Returns
    -------
    Result

    Raises
    ------
    UserError
        If nothing has been run into it, or a file in it is damaged.
    """
    path = Path(folder)
    path = path if (path / "report.json").exists() else path / profile
    if not (path / "report.json").exists():
        raise UserError(f"{path} does not hold the results of a run (there is no report.json)")
    rows, judged = read_rows(path / "rows.parquet"), read_claims(path)
    return result_of(path, read_run_info(path), rows, judged)


def result_of(folder: Path, about: RunInfo, rows: pd.DataFrame, judged: Verdicts) -> Result:
    """Gather what `render` has written into a folder."""
    return Result(
        name=about.name,
        profile=about.profile,
        caution=about.caution,
        folder=folder,
        rows=rows,
        judged=judged,
        figures=figures(folder, about),
        answer=about.answer,
        agreement=about.agreement,
    )
