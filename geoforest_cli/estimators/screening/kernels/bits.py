"""Chi-square of all pairs of columns from sets of bits.

Every bin of every column is a set of rows, 64 of them to a word; the cell of two bins is what their
words have in common. Columns stand side by side in blocks of `LANES`, so that the inner loop is one
instruction for several columns. All counts are whole numbers and every pair is computed once, by
the same operations: results are the same for any number of threads.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geoforest_cli.core.jit import kernel

LANES, WORDS_AT_ONCE = 64, 4
MOST_SKEW, SPREAD = 8.0, 1e-10


class Sets(NamedTuple):
    """The bins of all columns as sets of bits, and what turns their overlap into a z.

    Attributes
    ----------
    words : (blocks, bins, n / 64, LANES) uint64
        See `set_bits`; a multiple of four words.
    n_bins : (blocks, LANES) int64
        Numbers of bins as `set_bits` places them; 0 where there is no column.
    rule : (n + 1, 29) or (1, 29) float64
        `moments.coefficients` for 0 to n rows, or for n alone where nothing is missing.
    inverse : (n + 1,) float64
        1 / i, and 0 for 0.
    """

    words: npt.NDArray[np.uint64]
    n_bins: npt.NDArray[np.int64]
    rule: npt.NDArray[np.float64]
    inverse: npt.NDArray[np.float64]


_ODD = np.uint64(0x5555555555555555)
_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _LAST = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@kernel
def count_bits(word):
    """Count the ones of a word; compilers know this pattern and use the processor's own way."""
    word -= (word >> _ONE) & _ODD
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    word = (word + (word >> _FOUR)) & _NIBBLES
    return (word * _SUM) >> _LAST


@kernel
def set_bits(codes, n_bins, words):
    """Fill words (blocks, bins, n / 64, LANES): bit i of a column's bin c where its code is c.

    Of two bins the second becomes the third, so that joining neighbours leaves both.
    """
    for j in range(codes.shape[0]):
        block, lane = j // LANES, j % LANES
        step = 2 if n_bins[j] == 2 else 1
        for i in range(codes.shape[1]):
            if codes[j, i] >= 0:
                bit = np.uint64(1) << np.uint64(i & 63)
                words[block, step * codes[j, i], i >> 6, lane] |= bit


@kernel
def _count(row, r, block, c, counts):
    """Fill counts[:r, :c, lane] with the tables of one column and those of a block."""
    for b in range(c):
        for a in range(r):
            for lane in range(LANES):
                counts[a, b, lane] = 0
            for w in range(0, row.shape[1], WORDS_AT_ONCE):
                w0, w1, w2, w3 = row[a, w], row[a, w + 1], row[a, w + 2], row[a, w + 3]
                for lane in range(LANES):
                    counts[a, b, lane] += (
                        count_bits(w0 & block[b, w, lane])
                        + count_bits(w1 & block[b, w + 1, lane])
                        + count_bits(w2 & block[b, w + 2, lane])
                        + count_bits(w3 & block[b, w + 3, lane])
                    )


@kernel
def _margins(counts, r, c, rows, columns):
    for lane in range(LANES):
        for a in range(r):
            rows[a, lane] = 0
        for b in range(c):
            columns[b, lane] = 0
    for a in range(r):
        for b in range(c):
            for lane in range(LANES):
                rows[a, lane] += counts[a, b, lane]
                columns[b, lane] += counts[a, b, lane]


@kernel
def _terms(margins, k, inverse, terms, total):
    """Replace bins' sizes by their inverses; write f, sum 1 / r, sum 1 / r^2 and the rows."""
    for lane in range(LANES):
        terms[0, lane] = -1.0
        terms[1, lane] = 0.0
        terms[2, lane] = 0.0
        total[lane] = 0
    for a in range(k):
        for lane in range(LANES):
            size = np.int64(margins[a, lane])
            factor = inverse[size]
            total[lane] += size
            terms[0, lane] += factor * size
            terms[1, lane] += factor
            terms[2, lane] += factor * factor
            margins[a, lane] = factor


@kernel
def _values(counts, r, c, rows, columns, value):
    """Write sum_ab n_ab^2 / (r_a c_b) into value."""
    for lane in range(LANES):
        value[lane] = 0.0
    for a in range(r):
        for b in range(c):
            for lane in range(LANES):
                cell = np.float64(np.int64(counts[a, b, lane]))
                value[lane] += cell * cell * rows[a, lane] * columns[b, lane]


@kernel
def moments(m, f, q, c, g, s, d):
    """Return mean, variance and third central moment for the terms (f, q, c) and (g, s, d).

    m is a row of `moments.coefficients`.
    """
    ff, gg = f * f, g * g
    mean = m[0] * f * g
    second = (
        m[1] * ff * gg + m[2] * (ff * g + f * gg) + m[3] * (ff * s + q * gg)
        + m[4] * f * g + m[5] * (f * s + q * g) + m[6] * q * s
    )  # fmt: skip
    fff, ggg, fq, gs = ff * f, gg * g, f * q, g * s
    third = (
        m[7] * fff * ggg + m[8] * (fff * gg + ff * ggg) + m[9] * (fff * g + f * ggg)
        + m[10] * (fff * gs + fq * ggg) + m[11] * (fff * s + q * ggg)
        + m[12] * (fff * d + c * ggg)
        + m[13] * ff * gg + m[14] * (ff * g + f * gg) + m[15] * (ff * gs + fq * gg)
        + m[16] * (ff * s + q * gg) + m[17] * (ff * d + c * gg)
        + m[18] * f * g + m[19] * (f * gs + fq * g) + m[20] * (f * s + q * g)
        + m[21] * (f * d + c * g)
        + m[22] * fq * gs + m[23] * (fq * s + q * gs) + m[24] * (fq * d + c * gs)
        + m[25] * q * s + m[26] * (q * d + c * s) + m[27] * c * d
    )  # fmt: skip
    variance = second - mean * mean
    return mean, variance, third - 3.0 * mean * variance - mean * mean * mean


@kernel
def normal_score(value, mean, variance, third):
    """Return the z of Wilson and Hilferty's cube root for three moments; -inf without a spread.

    For X of skewness g about (6 / g) ((1 + g (X - mean) / (2 sd))^(1/3) - 1) + g / 6. Of too skewed
    a statistic nothing can be said.
    """
    # rounding leaves a trace of a variance where there is none
    if not variance > SPREAD * (mean * mean + 1.0):
        return -np.inf
    deviation = math.sqrt(variance)
    t = (value - mean) / deviation
    g = third / (variance * deviation)
    if abs(g) < 1e-6:
        return t
    if not abs(g) <= MOST_SKEW:
        return -np.inf
    return (np.cbrt(1.0 + 0.5 * g * t) - 1.0) * 6.0 / g + g / 6.0


@kernel
def new_work(most):
    """Allocate what `best_of_row` needs for columns of so many bins."""
    counts = np.zeros((2, most, most, LANES), np.uint64)
    margins = np.zeros((2, most, LANES))
    terms, total = np.zeros((2, 3, LANES)), np.zeros(LANES, np.int64)
    return counts, margins, terms, total, np.zeros((2, 4, LANES))


@kernel
def _join(fine, r, c, coarse):
    """Fill coarse with the tables whose neighbouring bins are joined, two and two."""
    for a in range((r + 1) // 2):
        for b in range((c + 1) // 2):
            for lane in range(LANES):
                coarse[a, b, lane] = 0
    for a in range(r):
        for b in range(c):
            for lane in range(LANES):
                coarse[a >> 1, b >> 1, lane] += fine[a, b, lane]


@kernel
def _chi_square(counts, r, c, sets, work, parts):
    """Write chi-square of each table, its mean, variance and third moment into found (4, LANES)."""
    rule, inverse = sets.rule, sets.inverse
    _, margins, terms, total, _ = work
    _margins(counts, r, c, margins[0], margins[1])
    _terms(margins[0], r, inverse, terms[0], total)
    _terms(margins[1], c, inverse, terms[1], total)
    _values(counts, r, c, margins[0], margins[1], parts[0])
    per_total = rule.shape[0] > 1
    for lane in range(LANES):
        m = rule[total[lane] if per_total else 0]
        factor = m[28]
        f, g = terms[0, 0, lane], terms[1, 0, lane]
        q = terms[0, 1, lane] - (2.0 * f + 1.0) * factor
        s = terms[1, 1, lane] - (2.0 * g + 1.0) * factor
        e = terms[0, 2, lane] - (3.0 * terms[0, 1, lane] - (3.0 * f + 2.0) * factor) * factor
        d = terms[1, 2, lane] - (3.0 * terms[1, 1, lane] - (3.0 * g + 2.0) * factor) * factor
        parts[1, lane], parts[2, lane], parts[3, lane] = moments(m, f, q, e, g, s, d)
        parts[0, lane] = total[lane] * (parts[0, lane] - 1.0)


@kernel
def _score_lanes(sets, row_words, r, j_block, c, work, z):
    """Write the z of one column of r bins with each of a block of up to c bins; -inf for none."""
    counts, terms = work[0], work[4]
    _count(row_words, r, sets.words[j_block], c, counts[0])
    _join(counts[0], r, c, counts[1])
    _chi_square(counts[0], r, c, sets, work, terms[0])
    _chi_square(counts[1], (r + 1) // 2, (c + 1) // 2, sets, work, terms[1])
    for lane in range(LANES):
        z[lane] = -np.inf
        if sets.n_bins[j_block, lane] < 2:
            continue
        fine, coarse = terms[0, :, lane], terms[1, :, lane]
        z[lane] = max(
            normal_score(fine[0], fine[1], fine[2], fine[3]),
            normal_score(coarse[0], coarse[1], coarse[2], coarse[3]),
        )


@kernel
def best_of_row(sets, i_block, work, score, partner):
    """Find the best partners among the pairs i < j whose i is in a block, for both columns.

    The z of a pair is the larger of two: that of its table, and that of the table whose
    neighbouring bins are joined.

    Parameters
    ----------
    sets : Sets
    i_block : int
    work : tuple
        Of `new_work`.
    score : (blocks, LANES) float64, partner : (blocks, LANES) int64
        Best z of each column and the number of the partner; -inf and -1 before.
    """
    words, n_bins = sets.words, sets.n_bins
    row_words, z = np.empty(words.shape[1:3], np.uint64), np.empty(LANES)
    for i in range(LANES):
        r = n_bins[i_block, i]
        if r < 2:
            continue
        row_words[:, :] = words[i_block, :, :, i]
        for j_block in range(i_block, words.shape[0]):
            c = n_bins[j_block].max()
            if c < 2:
                continue
            _score_lanes(sets, row_words, r, j_block, c, work, z)
            for lane in range(i + 1 if i_block == j_block else 0, LANES):
                if z[lane] > score[i_block, i]:
                    score[i_block, i], partner[i_block, i] = z[lane], j_block * LANES + lane
                if z[lane] > score[j_block, lane]:
                    score[j_block, lane], partner[j_block, lane] = z[lane], i_block * LANES + i


@kernel
def score_rows(sets, i_block, work, z):
    """Write the z of the pairs i < j whose i is in a block into z (LANES, columns from there on).

    What it does not write is -inf before: pairs that are not compared, and those with i >= j.
    """
    words, n_bins = sets.words, sets.n_bins
    row_words, lanes = np.empty(words.shape[1:3], np.uint64), np.empty(LANES)
    for i in range(LANES):
        r = n_bins[i_block, i]
        if r < 2:
            continue
        row_words[:, :] = words[i_block, :, :, i]
        for j_block in range(i_block, words.shape[0]):
            c = n_bins[j_block].max()
            if c < 2:
                continue
            _score_lanes(sets, row_words, r, j_block, c, work, lanes)
            begin = (j_block - i_block) * LANES
            first = i + 1 if j_block == i_block else 0
            z[i, begin + first : begin + LANES] = lanes[first:]
