#!/usr/bin/env python3
"""Draws encoders by what they take and what they give: encoding time against BD-rate.

    plot_efforts.py CSV [-o SVG]

CSV is what time_against_rate.py wrote, maybe with rows added; a codec's steps become a line. SVG is
docs/efforts.svg if not given.
"""

import argparse
import csv
import math
import os
from xml.sax.saxutils import escape

from plot_cuda import STYLE

WIDTH, HEIGHT = 800, 460
LEFT, RIGHT, TOP, BOTTOM = 76, 150, 62, 64  # margins around the axes
NAMES = {'mmp': 'mmp', 'aomenc': 'AVIF (aomenc)', 'x265': 'HEVC (x265)', 'vvenc': 'VVC (VVenC)'}
COLORS = {'mmp': '#d9622b', 'aomenc': '#2f7fc1', 'x265': '#24966b', 'vvenc': '#a45fb0'}
TICKS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]


def draw(rows):
    curves = {}
    for row in rows:
        curves.setdefault(row['codec'], []).append(
            (float(row['seconds']), float(row['bd_rate']), row['step']))
    points = [point for curve in curves.values() for point in curve]
    first = math.log(max(tick for tick in TICKS if tick <= min(s for s, _, _ in points)))
    last = math.log(min(tick for tick in TICKS if tick >= max(s for s, _, _ in points)))
    low = 5 * math.floor(min(rate for _, rate, _ in points) / 5)
    high = 5 * math.ceil(max(rate for _, rate, _ in points) / 5)
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x_of(seconds):
        return LEFT + width * (math.log(seconds) - first) / (last - first)

    def y_of(rate):
        return TOP + height * (high - rate) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           '<title>Encoding time and BD-rate of encoders</title>', f'<style>{STYLE}</style>',
           f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
           f'<text class="title" x="{LEFT}" y="26">What encoders take and what they give</text>',
           f'<text class="note" x="{LEFT}" y="46">BD-rate against x265 placebo: '
           'lower is fewer bits at equal PSNR; further left is faster</text>']
    for rate in range(low, high + 1, 5):
        y = y_of(rate)
        out.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + width}" y2="{y:.1f}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
                   f'{f"{rate:+d}" if rate else 0} %</text>')
    for tick in TICKS:
        if first <= math.log(tick) <= last:
            x = x_of(tick)
            out.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + height}"/>')
            out.append(f'<text x="{x:.1f}" y="{TOP + height + 20}" text-anchor="middle">{tick:g}</text>')
    out.append(f'<text x="{LEFT + width / 2}" y="{HEIGHT - 18}" text-anchor="middle">'
               'user seconds of one core for 512x512 pixels</text>')
    for codec, curve in curves.items():
        color = COLORS.get(codec, '#6f7d8c')
        places = [(x_of(seconds), y_of(rate)) for seconds, rate, _ in sorted(curve)]
        line = ' '.join(f'{x:.1f},{y:.1f}' for x, y in places)
        out.append(f'<polyline class="line" points="{line}" stroke="{color}"/>')
        slowest = max(curve)[2]
        name_step = '' if slowest.isdigit() else slowest  # a word stands with the codec's name
        for seconds, rate, step in curve:
            x, y = x_of(seconds), y_of(rate)
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>')
            if step == name_step:
                continue
            above = -9 if codec != 'mmp' else 17  # mmp's curve is the lowest
            out.append(f'<text class="note" x="{x:.1f}" y="{y + above:.1f}" text-anchor="middle">'
                       f'{escape(step)}</text>')
        x, y = places[-1]
        down = 4 if codec != 'x265' else -10  # AVIF's curve is right below it
        out.append(f'<text x="{x + 10:.1f}" y="{y + down:.1f}" fill="{color}">'
                   f'{escape(", ".join(filter(None, (NAMES.get(codec, codec), name_step))))}</text>')
    return '\n'.join(out + ['</svg>\n'])


def main():
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs')
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('csv')
    parser.add_argument('-o', '--output', default=os.path.join(docs, 'efforts.svg'))
    arguments = parser.parse_args()
    with open(arguments.csv, newline='') as file:
        picture = draw(list(csv.DictReader(file)))
    with open(arguments.output, 'w') as file:
        file.write(picture)


if __name__ == '__main__':
    main()
