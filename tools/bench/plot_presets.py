#!/usr/bin/env python3
"""Draws encoders by what they take and what they give: encoding time against BD-rate.

    plot_presets.py CSV [-o SVG]

CSV has the columns codec, seconds (of an encode, mean) and bd_rate (percent against HEVC intra, mean;
negative: fewer bits); mmp's own begin with "mmp". SVG is docs/presets.svg if not given.
"""

import argparse
import csv
import math
import os
from xml.sax.saxutils import escape

from plot_cuda import STYLE

WIDTH, HEIGHT = 800, 430
LEFT, RIGHT, TOP, BOTTOM = 76, 40, 62, 64  # margins around the axes
OWN, OTHER = '#d9622b', '#2f7fc1'


def draw(rows):
    seconds = [float(row['seconds']) for row in rows]
    symbol_costs = [float(row['bd_rate']) for row in rows]
    first, last = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    low, high = math.floor(min(symbol_costs) / 10) * 10, math.ceil(max(symbol_costs) / 10) * 10
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x_of(value):
        return LEFT + width * (math.log10(value) - first) / (last - first)

    def y_of(value):
        return TOP + height * (high - value) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           '<title>Encoding time and BD-rate of encoders</title>', f'<style>{STYLE}</style>',
           f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="title" x="{LEFT}" y="26">What encoders take and what they give</text>',
           f'<text class="note" x="{LEFT}" y="46">mean of eight natural images; '
           'lower is fewer bits at equal PSNR, further left is faster</text>']
    for rate in range(low, high + 1, 10):
        y = y_of(rate)
        out.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{rate:+d} %</text>')
    for power in range(first, last + 1):
        x = x_of(10**power)
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + height}"/>')
        out.append(f'<text x="{x:.1f}" y="{TOP + height + 20}" text-anchor="middle">{10.0**power:g}</text>')
    out.append(f'<text x="{LEFT + width / 2}" y="{HEIGHT - 18}" text-anchor="middle">'
               'seconds an image, one core</text>')
    for row, second, rate in zip(rows, seconds, symbol_costs):
        is_own = row['codec'].startswith('mmp')
        color = OWN if is_own else OTHER
        x, y = x_of(second), y_of(rate)
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{color}"/>')
        # Where the others crowd, mmp's names are on the right and theirs on the left.
        side, anchor = (9, 'start') if is_own or x < LEFT + width / 2 else (-9, 'end')
        out.append(f'<text x="{x + side:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">'
                   f'{escape(row["codec"])} {rate:+.1f} %</text>')
    return '\n'.join(out + ['</svg>\n'])


def main():
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs')
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('csv')
    parser.add_argument('-o', '--output', default=os.path.join(docs, 'presets.svg'))
    arguments = parser.parse_args()
    with open(arguments.csv, newline='') as file:
        picture = draw(list(csv.DictReader(file)))
    with open(arguments.output, 'w') as file:
        file.write(picture)


if __name__ == '__main__':
    main()
