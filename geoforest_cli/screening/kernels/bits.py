"""Contingency tables of pairs of columns from sets of bits."""

import math

import numpy as np

from geoforest_cli._jit import kernel

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
def set_bits(codes, first, words):
    """Fill words (bins, n / 64): bit i of bin first[j] + c is set where codes[j, i] = c >= 0."""
    for j in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[j, i] >= 0:
                words[first[j] + codes[j, i], i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@kernel
def count_pair(words, start_i, r, start_j, c, table):
    """Fill table[:r, :c] with the rows that two columns of r and c bins have in common."""
    for a in range(r):
        for b in range(c):
            total = np.uint64(0)
            for w in range(words.shape[1]):
                total += count_bits(words[start_i + a, w] & words[start_j + b, w])
            table[a, b] = total


@kernel
def measure(table, r, c, rows, columns):
    """Return chi-square, its mean, standard deviation and shape under fixed margins.

    Zero and no spread where a column has one bin only on the rows of the table.
    """
    n = 0.0
    for a in range(r):
        rows[a] = 0.0
    for b in range(c):
        columns[b] = 0.0
    for a in range(r):
        for b in range(c):
            rows[a] += table[a, b]
            columns[b] += table[a, b]
            n += table[a, b]
    used_r, used_c, inverse_r, inverse_c = 0, 0, 0.0, 0.0
    for a in range(r):
        if rows[a] > 0.0:
            used_r += 1
            inverse_r += 1.0 / rows[a]
    for b in range(c):
        if columns[b] > 0.0:
            used_c += 1
            inverse_c += 1.0 / columns[b]
    if used_r < 2 or used_c < 2 or n < 4.0:
        return 0.0, 0.0, 0.0
    total = 0.0
    for a in range(r):
        if rows[a] > 0.0:
            inner = 0.0
            for b in range(c):
                if columns[b] > 0.0:
                    inner += table[a, b] * table[a, b] / columns[b]
            total += inner / rows[a]
    mean = n * (used_r - 1.0) * (used_c - 1.0) / (n - 1.0)
    v_r = (used_r - 1.0) * (n - used_r) / (n - 1.0)
    v_c = (used_c - 1.0) * (n - used_c) / (n - 1.0)
    w_r = (n * inverse_r - used_r * used_r) / (n - 2.0)
    w_c = (n * inverse_c - used_c * used_c) / (n - 2.0)
    variance = 2.0 * n / (n - 3.0) * (v_r - w_r) * (v_c - w_c) + n * n / (n - 1.0) * w_r * w_c
    return n * (total - 1.0), mean, math.sqrt(max(variance, 0.0))


@kernel
def normal_score(value, mean, deviation):
    """Return the z of Wilson and Hilferty for a gamma variable of this mean and deviation."""
    if not deviation > 0.0 or not mean > 0.0:
        return -np.inf
    shape = (mean / deviation) ** 2
    return (np.cbrt(value / mean) - 1.0 + 1.0 / (9.0 * shape)) * 3.0 * math.sqrt(shape)


@kernel
def best_of_tile(words, first, i_start, i_stop, j_start, j_stop, most, score, partner):
    """Find the best partners among the pairs i < j of a tile, for both of its sides.

    score and partner have one entry per column of the side i, then one per column of the side j.
    """
    table = np.empty((most, most), np.float64)
    rows, columns = np.empty(most), np.empty(most)
    size = i_stop - i_start
    for i in range(i_start, i_stop):
        r = first[i + 1] - first[i]
        for j in range(max(j_start, i + 1), j_stop):
            c = first[j + 1] - first[j]
            if r < 2 or c < 2:
                continue
            count_pair(words, first[i], r, first[j], c, table)
            value, mean, deviation = measure(table, r, c, rows, columns)
            z = normal_score(value, mean, deviation)
            if z > score[i - i_start]:
                score[i - i_start], partner[i - i_start] = z, j
            place = size + j - j_start
            if z > score[place]:
                score[place], partner[place] = z, i
