import json
import subprocess
import sys

CODE = """
import json, sys
from geoforest_cli.study.engine.executors.compilation import Compiling
told = []
finders = len(sys.meta_path)
with Compiling(lambda word: told.append("idle")):
    pass
with Compiling(lambda word: told.append("outer " + word)) as outer:
    with Compiling(lambda word: told.append("inner " + word)) as inner:
        assert "numba" not in sys.modules
        from numba.core import event
        with event.trigger_event("numba:compile"), event.trigger_event("numba:compile"):
            pass
    seconds = outer.seconds
    with event.trigger_event("numba:compile"):
        pass
with event.trigger_event("numba:compile"):
    pass
assert len(sys.meta_path) == finders
assert outer.seconds > seconds > 0 and inner.seconds > 0
print(json.dumps(told))
"""


def test_what_is_compiled_after_numba_is_imported_is_told():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    events = json.loads(done.stdout)
    assert sorted(events[:4]) == [
        "inner compiled", "inner compiling", "outer compiled", "outer compiling",
    ]  # fmt: skip
    assert events[4:] == ["outer compiling", "outer compiled"]
