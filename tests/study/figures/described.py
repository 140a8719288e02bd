"""A figure in words: where its panels stand, and every mark in them with its look."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.ticker import FixedLocator


def described(figure, *, places=True):
    """Lines of text; without `places`, not where panels stand, which fonts decide then."""
    yield f"figure {numbers(figure.get_size_inches())}"
    for axes in figure.axes:
        box = axes.get_position()
        yield f"panel {numbers(box.bounds) if places else ''}".rstrip()
        yield from (f"  {line}" for line in _panel(axes))
    for text in figure.texts:
        yield _text(text)
    for box in figure.legends:
        spaces = numbers((box.columnspacing, box.handlelength, box.handletextpad, box.borderpad))
        place = box.get_bbox_to_anchor().transformed(figure.transFigure.inverted()).p0
        yield f"legend of {box._ncols} with {spaces} at {numbers(place)}"
        for handle, text in zip(box.legend_handles, box.get_texts(), strict=True):
            look = _line(handle, data=False) if hasattr(handle, "get_marker") else _patch(handle)
            yield f"  {text.get_text()}: {look}"


def numbers(values):
    return " ".join(f"{number + 0.0:.4g}" for number in np.ravel(np.asarray(values, float)))


def _axis(axes, name):
    axis = getattr(axes, f"{name}axis")
    yield f"{name} {axis.get_scale()} {numbers(getattr(axes, f'get_{name}lim')())}"
    if isinstance(axis.get_major_locator(), FixedLocator):
        words = [text.get_text() for text in axis.get_ticklabels()]
        turned = {text.get_rotation() for text in axis.get_ticklabels()}
        yield f"{name} ticks {numbers(axis.get_majorticklocs())} {words} turned {turned}"
    tick = axis.get_major_ticks()[0]
    size, length = tick.label1.get_fontsize(), tick.tick1line.get_markersize()
    yield f"{name} ticks of {size:.3g} {length:.3g}, grid {tick.gridline.get_visible()}"
    shown = axis.get_tick_params()
    yield f"{name} labels {shown.get('labelbottom', shown.get('labelleft'))}"
    if axis.label.get_text():
        yield f"{name} label {axis.label.get_text()!r}"


def _panel(axes):
    for name in ("x", "y"):
        yield from _axis(axes, name)
    yield f"frame {[name for name, spine in axes.spines.items() if spine.get_visible()]}"
    if axes.get_title():
        yield f"title {axes.get_title()!r}"
    for line in axes.lines:
        yield f"line {_line(line)}"
    for mark in axes.collections:
        look = f"z {mark.get_zorder():.4g} width {numbers(mark.get_linewidth())}"
        look += f" {_colors(mark)} alpha {mark.get_alpha()}"
        if isinstance(mark, LineCollection):
            yield f"bars {look} {numbers(mark.get_segments())}"
        else:
            (path,) = mark.get_paths()
            yield f"band {look} {numbers(np.unique(path.vertices, axis=0))}"
    for image in axes.images:
        values = np.ma.filled(image.get_array(), np.nan)
        look = f"{image.cmap.name} {image.get_interpolation()} {image.origin}"
        yield f"image {look} {numbers(image.get_clim())}: {numbers(values)}"
    for text in axes.texts:
        yield _text(text)


def _line(line, *, data=True):
    width, marker = line.get_linewidth(), line.get_marker()
    shown = [
        to_hex(line.get_color()), f"{line.get_linestyle()} {width:.4g}",
        f"dashes {numbers(line._unscaled_dash_pattern[1] or [])}",
        f"marker {marker} {line.get_markersize():.4g} edge {line.get_markeredgewidth():.4g}",
        _face(line.get_markerfacecolor()), f"z {line.get_zorder():.4g}",
        f"alpha {line.get_alpha()}",
    ]  # fmt: skip
    if data:
        shown += [repr(line.get_label()) if line.get_label()[0] != "_" else "unnamed"]
        shown += [f"clipped {line.get_clip_on()}"]
        shown += [numbers(line.get_xdata()), "|", numbers(line.get_ydata())]
    return " ".join(shown)


def _face(color):
    return "hollow" if isinstance(color, str) and color == "none" else to_hex(color)


def _patch(patch):
    return f"patch {to_hex(patch.get_facecolor())} {patch.get_alpha()} {patch.get_linewidth():g}"


def _colors(mark):
    return " ".join(
        map(to_hex, mark.get_edgecolor() if len(mark.get_edgecolor()) else mark.get_facecolor())
    )


def _text(text):
    look = f"{text.get_fontsize():.3g} {to_hex(text.get_color())} {text.get_ha()} {text.get_va()}"
    return f"text {numbers(text.get_position())} {look} {text.get_text()!r}"
