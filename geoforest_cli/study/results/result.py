"""Results that a run has left in its folder, for the command line and notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from geoforest_cli.study.agreement import Agreement
from geoforest_cli.study.claims.results import Answer, Verdicts
from geoforest_cli.study.results.folder import figures_of, rows_of
from geoforest_cli.study.results.record import RECORD, RunRecord, read_record

__all__ = ["Result", "results"]

_OF_CLAIMS = ["id", "sentence", "reading", "verdict", "preliminary", "reason"]
_OF_CLAIMS += ["estimate", "low", "high", "n", "says"]
_OF_SENTENCES = ["key", "verdict", "reason", "registration", "hangs", "section"]


@dataclass(frozen=True)
class Result:
    """The results of a run.

    Attributes
    ----------
    folder : Path
        With all files.
    record : RunRecord
        Config, environment, cells, agreement, sentences and claims, as in ``record.json``.
    rows : DataFrame
        One row per value, tidy.
    """

    folder: Path
    record: RunRecord
    rows: pd.DataFrame

    @property
    def name(self) -> str:
        """The config's name."""
        return self.record.name

    @property
    def profile(self) -> str:
        """The config's size."""
        return self.record.profile

    @property
    def caution(self) -> str:
        """Why it does not judge the paper; empty at the published size."""
        return self.record.caution

    @property
    def judged(self) -> Verdicts:
        """Sentences and claims with their verdicts."""
        return self.record.judged

    @property
    def answer(self) -> Answer | None:
        """The question of the config and its answer."""
        return self.record.answer

    @property
    def agreement(self) -> Agreement | None:
        """With the published values, of a run that judges the paper."""
        return self.record.agreement

    @property
    def figures(self) -> dict[str, Path]:
        """The SVG files, by name; the first is the figure."""
        return figures_of(self.folder, self.record)

    @property
    def figure(self) -> Path | None:
        """The figure as SVG; .pdf and .png lie beside it."""
        return next(iter(self.figures.values()), None)

    @property
    def verdicts(self) -> pd.DataFrame:
        """One line per claim: what it is, its verdict, and the numbers that decide it.

        ``preliminary`` is the verdict that the rows so far suggest for a claim that is not judged.
        """
        claims = [claim.model_dump(include=set(_OF_CLAIMS)) for claim in self.record.claims]
        return pd.DataFrame(claims, columns=_OF_CLAIMS)

    @property
    def sentences(self) -> pd.DataFrame:
        """One line per sentence of the paper: its verdict, and whether it was registered."""
        lines = [
            {**sentence.model_dump(include=set(_OF_SENTENCES)), "text": sentence.text}
            for sentence in self.record.sentences
        ]
        return pd.DataFrame(lines, columns=[*_OF_SENTENCES, "text"])


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
    path = path if (path / RECORD).exists() else path / profile
    record = read_record(path)
    return Result(path, record, rows_of(path, record))
