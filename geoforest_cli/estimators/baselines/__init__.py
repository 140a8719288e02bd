"""Methods to compare with; what only experiments compare with lies beside them, in peers/."""

from geoforest_cli.core.bundled import bundled

__path__ = [*__path__, str(bundled("experiments") / "peers")]
