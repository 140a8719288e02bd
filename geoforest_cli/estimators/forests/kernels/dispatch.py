"""Kernels that are chosen from a table: by the class of a named tuple, or by a number."""

import functools
from typing import Any

import numba
from numba.extending import overload

NUMBERS_ONLY: Any = {"nogil": True, "_nrt": False}  # as `core.jit.inner_kernel` compiles


def by_class(compiler, **options):
    """Make a function into a kernel that others replace for classes of its first argument.

    It is a `functools.singledispatch` function; compiled code chooses once, when it is compiled.
    """

    def decorate(function):
        generic = functools.singledispatch(function)
        generic.register(object, compiler(function))

        @overload(generic, jit_options={"nogil": True, "forceinline": True, **options})
        def choose(data, *_):
            implementation = generic.dispatch(data.instance_class)

            def call(data, *_):
                return implementation(data, *_)

            return _named(call, function.__name__, data.instance_class.__name__)

        return generic

    return decorate


def by_number(kernels, number=0):
    """Return a function of (rules, draws, candidates) that calls kernels[rules.sampler].

    Compiled, it is a chain of branches.
    """
    kernel, *others = kernels
    # closures are not kept on disk: whatever calls them is
    later = numba.njit(**NUMBERS_ONLY)(by_number(others, number + 1)) if others else kernel

    def choose(rules, draws, candidates):
        if rules.sampler == number:
            return kernel(rules, draws, candidates)
        return later(rules, draws, candidates)

    return _named(choose, kernel.__name__, str(number))


def _named(function, *words):
    """Give a closure a name of its own.

    Compiled code is linked by names. Closures of one name are told apart by a counter of the
    process, which means another closure in a process that reads the code from disk.
    """
    function.__name__ = "_".join((function.__name__, *words))
    function.__qualname__ = function.__name__
    return function
