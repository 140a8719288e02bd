"""Workflow files and composite actions, validated: a key that is not known here is an error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from geoforest_cli.core import suggestions
from geoforest_cli.core.errors import UserError

__all__ = ["Action", "Job", "Step", "Workflow", "read_action", "read_workflow"]


def _text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
Texts: TypeAlias = dict[str, Text]


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        coerce_numbers_to_str=True,
        alias_generator=lambda name: name.rstrip("_").replace("_", "-"),
    )


class Step(_Part):
    """One step: a script, or an action by its name."""

    id: str = ""
    name: str = ""
    if_: Text = ""
    uses: str = ""
    with_: Texts = {}
    run: str = ""
    shell: str = ""
    env: Texts = {}
    working_directory: str = ""
    continue_on_error: bool = False
    timeout_minutes: float = 360

    @model_validator(mode="after")
    def _is_one_thing(self) -> Step:
        if bool(self.run) == bool(self.uses):
            raise ValueError("a step has either 'run' or 'uses'")
        return self

    @property
    def title(self) -> str:
        """Its name, or what it does in one line."""
        return self.name or self.uses or " ".join(self.run.split("\n")[0].split())


class _Strategy(_Part):
    matrix: dict[str, list[Text]] = {}
    fail_fast: bool = True
    max_parallel: int | None = None


class _Run(_Part):
    shell: str = ""
    working_directory: str = ""


class _Defaults(_Part):
    run: _Run = _Run()


class Job(_Part):
    """One job of a workflow."""

    name: str = ""
    runs_on: str
    needs: Annotated[list[str], BeforeValidator(_list)] = []
    if_: Text = ""
    permissions: Any = None
    environment: Any = None
    concurrency: Any = None
    outputs: Texts = {}
    env: Texts = {}
    defaults: _Defaults = _Defaults()
    strategy: _Strategy = _Strategy()
    continue_on_error: bool = False
    timeout_minutes: float = 360
    steps: list[Step] = Field(min_length=1)

    @property
    def matrix(self) -> dict[str, str]:
        """The first entry of its matrix."""
        return {name: values[0] for name, values in self.strategy.matrix.items()}


class Workflow(_Part):
    """A file of ``.github/workflows``."""

    name: str = ""
    on: Any
    permissions: Any = None
    concurrency: Any = None
    env: Texts = {}
    defaults: _Defaults = _Defaults()
    jobs: dict[str, Job]

    def ordered(self) -> list[str]:
        """Return the jobs, each after those that it needs.

        Raises
        ------
        UserError
            If a job needs one that is not there, or itself in the end.
        """
        done: list[str] = []
        while len(done) < len(self.jobs):
            left = [name for name in self.jobs if name not in done]
            for name in left:
                for needed in self.jobs[name].needs:
                    if needed not in self.jobs:
                        raise UserError(suggestions.unknown("job", needed, self.jobs))
            ready = [name for name in left if set(self.jobs[name].needs) <= set(done)]
            if not ready:
                raise UserError(f"the jobs {', '.join(left)} need each other")
            done += ready
        return done


class _Input(_Part):
    description: str
    required: bool = False
    default: Text = ""


class _Output(_Part):
    description: str
    value: str


class _Runs(_Part):
    using: str = Field(pattern="^composite$")
    steps: list[Step] = Field(min_length=1)

    @model_validator(mode="after")
    def _shells_are_named(self) -> _Runs:
        if any(step.run and not step.shell for step in self.steps):
            raise ValueError("a step of an action names its shell")
        return self


class Action(_Part):
    """An ``action.yml`` whose steps are listed in it."""

    name: str
    description: str
    author: str = ""
    branding: Any = None
    inputs: dict[str, _Input] = {}
    outputs: dict[str, _Output] = {}
    runs: _Runs


class _Loader(yaml.SafeLoader):
    """YAML 1.2, which workflows are written in: ``on`` is a text, and only true is true."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, rule) for tag, rule in rules if tag != "tag:yaml.org,2002:bool"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)

_Model = TypeVar("_Model", bound=_Part)


def read_workflow(path: Path) -> Workflow:
    """Read and validate a workflow.

    Raises
    ------
    UserError
        If it cannot be read, or has a key that is not known here.
    """
    return _read(Workflow, path)


def read_action(path: Path) -> Action:
    """Read and validate an ``action.yml``, as `read_workflow` does."""
    return _read(Action, path)


def _read(model: type[_Model], path: Path) -> _Model:
    try:
        content = yaml.load(path.read_text("utf-8"), _Loader)  # noqa: S506 - a SafeLoader
        return model.model_validate(content)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: {place}: {first['msg'].removeprefix('Value error, ')}") from None
