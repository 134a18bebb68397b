#!/usr/bin/env python3
"""Draws what mmp_cuda_bench and time_by_threads.py measured: time against image size, dictionary
size, number of jobs and threads.

    plot_cuda.py CSV... [-o DIR]

writes cuda-size.svg, cuda-dictionary.svg, cuda-jobs.svg and cuda-threads.svg to DIR (docs if not
given). A plot's lines are the rows that differ in nothing but what its horizontal axis shows; of
equal rows the last counts.
"""

import argparse
import csv
import math
import os
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 800, 430
LEFT, RIGHT, TOP, BOTTOM = 76, 270, 74, 64  # margins around the axes
COLORS = ['#2f7fc1', '#d9622b', '#24966b', '#a45fb0', '#a8811c', '#6f7d8c', '#c2447a', '#3aa7a3']
STYLE = '''
text { font: 13px system-ui, sans-serif; fill: #222; }
.title { font-size: 16px; font-weight: 600; }
.note { fill: #666; }
.paper { fill: #fff; }
.grid { stroke: #ddd; }
.axis { stroke: #888; fill: none; }
.line { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e6e6; }
  .note { fill: #a0a0a0; }
  .paper { fill: #15181c; }
  .grid { stroke: #33383f; }
}
'''


class Plot:
    """What a plot shows: `x`, its text, and `y` of a row and its time; `by`: the columns that, with
    the hardware, make lines."""

    def __init__(self, name, title, x_label, y_label, x, x_text, y, by):
        self.name, self.title = name, title
        self.x_label, self.y_label = x_label, y_label
        self.x, self.x_text, self.y, self.by = x, x_text, y, by


class Line:
    """`columns`: what its rows share, {column: value}; `points`: (x, y, text of x)."""

    def __init__(self, hardware, columns, points):
        self.hardware, self.columns, self.points = hardware, columns, points


def size_text(row):
    return row['width'] + '\u00d7' + row['height']


PLOTS = [
    Plot('size', 'Time of an encode by image size', 'image, pixels', 'seconds',
         lambda row: int(row['width']) * int(row['height']),
         size_text,
         lambda row, seconds: seconds,
         ['what', 'image', 'tile', 'lambda', 'jobs']),
    Plot('dictionary', 'Time of an encode by dictionary size', 'most patterns a level', 'seconds',
         lambda row: int(row['dictionary']),
         lambda row: row['dictionary'],
         lambda row, seconds: seconds,
         ['what', 'image', 'size', 'tile', 'lambda', 'jobs']),
    Plot('jobs', 'Time an encode, with many at once', 'encodes at once', 'seconds an encode',
         lambda row: int(row['jobs']),
         lambda row: row['jobs'],
         lambda row, seconds: seconds / int(row['jobs']),
         ['what', 'image', 'size', 'tile', 'dictionary']),
    Plot('threads', 'Time by threads of the CPU', 'threads', 'seconds',
         lambda row: int(row['cores']),
         lambda row: row['cores'],
         lambda row, seconds: seconds,
         ['what', 'image', 'tile', 'lambda', 'jobs']),
]


def column_text(name, value):
    """How labels say a column's value; empty if it is the usual."""
    return {
        'tile': f'tiles of {value}' if value != '0' else '',
        'jobs': f'{value} at once' if value != '1' else '',
        'lambda': f'lambda {value}',
        'dictionary': f'{value} patterns' if value else '',
    }.get(name, value)


def read_rows(paths):
    rows = []
    for path in paths:
        with open(path, newline='', encoding='utf-8') as file:
            rows += [row for row in csv.DictReader(file) if row['seconds'] != 'seconds']
    for row in rows:
        row['size'] = size_text(row)
    return rows


def measurements(plot, rows):
    """(row, hardware, seconds) of the devices and then of the CPU; by threads of the CPU alone."""
    if plot.name == 'threads':
        yield from ((row, '', float(row['cpu_seconds'])) for row in rows if row['cpu_seconds'])
        return
    several_kinds = len({row['device'] for row in rows if row['seconds']}) > 1
    for row in rows:
        if not row['seconds']:
            continue
        hardware = 'GPU' if row['devices'] == '1' else row['devices'] + ' GPUs'
        yield row, hardware + several_kinds * f' ({row["device"]})', float(row['seconds'])
    for row in rows:
        if row['cpu_seconds']:
            yield row, f'CPU, {row["cores"]} cores', float(row['cpu_seconds'])


def make_lines(plot, rows):
    groups = {}
    for row, hardware, seconds in measurements(plot, rows):
        key = hardware, tuple((name, row[name]) for name in plot.by)
        groups.setdefault(key, {})[plot.x(row)] = plot.y(row, seconds), plot.x_text(row)
    return [Line(hardware, dict(columns), [(x, *points[x]) for x in sorted(points)])
            for (hardware, columns), points in groups.items() if len(points) > 1]


def log_ticks(low, high):
    """1, 2 and 5 times powers of ten; more of them, or the powers alone, as there is room."""
    decades = math.log10(high / low)
    steps = (1, 1.5, 2, 3, 4, 5, 7) if decades < 0.8 else (1, 2, 5) if decades < 2.5 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [step * 10.0 ** power for power in range(first, last + 1) for step in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def spread(places, least):
    """Moves places apart, in their order, so that neighbours are at least `least` apart."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for before, after in zip(order, order[1:]):
        moved[after] = max(moved[after], moved[before] + least)
    return moved


def draw(plot, lines, device):
    shared = {name for name in plot.by if len({line.columns[name] for line in lines}) == 1}
    xs = sorted({(x, words) for line in lines for x, _, words in line.points})
    ys = [y for line in lines for _, y, _ in line.points]
    low_x, high_x = xs[0][0], xs[-1][0]
    low_y, high_y = min(ys) / 1.25, max(ys) * 1.25
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place_x(x):
        return LEFT + (right - LEFT) * math.log(x / low_x) / math.log(high_x / low_x)

    def place_y(y):
        return bottom - (bottom - TOP) * math.log(y / low_y) / math.log(high_y / low_y)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}">', f'<style>{STYLE}</style>',
           f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="6"/>']

    def text(x, y, words, anchor='start', kind='', more=''):
        svg.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}"{more}>'
                   f'{escape(words)}</text>')

    def rule(x1, y1, x2, y2):
        svg.append(f'<path class="grid" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')

    text(LEFT, 28, plot.title, kind='title')
    note = [column_text(name, lines[0].columns[name]) for name in plot.by if name in shared]
    text(LEFT, 50, '; '.join(part for part in note + [device] if part), kind='note')
    last = -math.inf
    for x, words in xs:
        rule(place_x(x), TOP, place_x(x), bottom)
        if place_x(x) - last > 9 * len(words):  # or the labels would touch
            text(place_x(x), bottom + 20, words, 'middle')
            last = place_x(x)
    for y in log_ticks(low_y, high_y):
        rule(LEFT, place_y(y), right, place_y(y))
        text(LEFT - 8, place_y(y) + 4, f'{y:g}', 'end')
    svg.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>')
    text((LEFT + right) / 2, HEIGHT - 16, plot.x_label + ' (logarithmic)', 'middle')
    middle = (TOP + bottom) / 2
    text(20, middle, plot.y_label + ' (logarithmic)', 'middle',
         more=f' transform="rotate(-90 20 {middle})"')

    label_places = spread([place_y(line.points[-1][1]) for line in lines], 18)
    for i, (line, label_y) in enumerate(zip(lines, label_places)):
        color = COLORS[i % len(COLORS)]
        dash = ' stroke-dasharray="6 4"' if line.hardware.startswith('CPU') else ''
        path = 'L'.join(f'{place_x(x):.1f} {place_y(y):.1f}' for x, y, _ in line.points)
        svg.append(f'<path class="line" stroke="{color}"{dash} d="M{path}"/>')
        for x, y, words in line.points:
            svg.append(f'<circle cx="{place_x(x):.1f}" cy="{place_y(y):.1f}" r="3.5" '
                       f'fill="{color}"><title>{escape(words)}: {y:.4g} s</title></circle>')
        label = [column_text(name, line.columns[name]) for name in plot.by if name not in shared]
        svg.append(f'<rect x="{right + 14}" y="{label_y - 5:.1f}" width="10" height="10" '
                   f'fill="{color}"/>')
        text(right + 30, label_y + 4.5, ', '.join(part for part in [line.hardware, *label] if part))
    return '\n'.join(svg + ['</svg>', ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('csv', nargs='+')
    parser.add_argument('-o', '--output', default='docs', metavar='DIR')
    arguments = parser.parse_args()
    rows = read_rows(arguments.csv)
    devices = {row['device'] for row in rows if row['seconds']}
    device = devices.pop() if len(devices) == 1 else ''
    for plot in PLOTS:
        lines = make_lines(plot, rows)
        if not lines:
            print(f'{plot.name}: no rows that differ in it alone; not drawn')
            continue
        path = os.path.join(arguments.output, f'cuda-{plot.name}.svg')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(draw(plot, lines, device))
        print(path)


if __name__ == '__main__':
    main()
