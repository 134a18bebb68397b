#!/usr/bin/env python3
"""Measures encoders, one after the other on one core: user time against rate at equal PSNR.

    time_against_rate.py MMP GRAY.png... > docs/efforts.csv     then plot_efforts.py docs/efforts.csv

CSV has the columns codec, step (an effort, a --cpu-used, a preset), seconds (user time of the whole command,
for 2^18 pixels) and bd_rate (percent against x265 placebo; negative: fewer bits), both means over the
pictures; the time is that at the PSNR that mmp's effort 5 has at four lambdas, interpolated. Needs
aomenc, aomdec, x265 and ffmpeg.
"""

import argparse
import csv
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

LAMBDAS = [10, 20, 40, 80, 160, 320]
REFERENCE_LAMBDAS = LAMBDAS[1:5]
QUANTISERS = {'x265': [18, 23, 28, 32, 36, 40], 'aomenc': [12, 20, 29, 38, 47, 54]}
X265 = ('x265 --log-level error --preset {step} --tune psnr --qp {quality} --ipratio 1 --keyint 1 '
        '--input-csp i400 --no-wpp --pools none --no-info --no-vui-timing-info --input in.y4m -o coded')
AOMENC = ('aomenc -q --good --passes=1 --cpu-used={step} --tune=psnr --monochrome --limit=1 --end-usage=q '
          '--cq-level={quality} --threads=1 --obu -o coded in.y4m')
MMP = '{mmp} encode in.pgm -o coded --force --effort {step} --lambda {quality} --exact-lambda --threads 1 --backend cpu'
# Codec, its steps, its qualities, its commands; the first is what all are compared with.
SERIES = [
    ('x265', ['placebo', 'medium'], QUANTISERS['x265'], X265, 'ffmpeg -v error -f hevc -i coded -f rawvideo out'),
    ('aomenc', [0, 2, 4, 6], QUANTISERS['aomenc'], AOMENC, 'aomdec --rawvideo -o out coded'),
    ('mmp', range(1, 10), LAMBDAS, MMP, '{mmp} decode coded -o out.pgm --force'),
]


class Picture:
    """A gray picture, in a folder as the encoders take it."""

    def __init__(self, path, folder):
        self.folder = folder
        probe = self.run(f'ffprobe -v error -show_entries stream=width,height -of csv=p=0 {path}')
        self.width, self.height = map(int, probe.split(','))
        self.run(f'ffmpeg -v error -y -i {path} -pix_fmt gray -f rawvideo in')
        self.samples = (folder / 'in').read_bytes()
        size = b'%d %d' % (self.width, self.height)
        (folder / 'in.pgm').write_bytes(b'P5\n' + size + b'\n255\n' + self.samples)
        (folder / 'in.y4m').write_bytes(
            b'YUV4MPEG2 W%d H%d F25:1 Ip Cmono\nFRAME\n' % (self.width, self.height) + self.samples)

    def run(self, command):
        return subprocess.run(command.split(), cwd=self.folder, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def measure(self, encode, decode):
        """Returns bits, PSNR (dB) and user seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.run(encode)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        (self.folder / 'out').unlink(missing_ok=True)
        self.run(decode)
        out = self.folder / ('out' if (self.folder / 'out').exists() else 'out.pgm')
        samples = out.read_bytes()[-len(self.samples):]
        error = sum((a - b) ** 2 for a, b in zip(samples, self.samples)) / len(samples)
        return 8 * (self.folder / 'coded').stat().st_size, 10 * math.log10(255**2 / error), seconds


# --- Curves ---------------------------------------------------------------------------------------

def slopes_of(xs, ys):
    """Of the monotone cubic that pchip is (Fritsch and Butland)."""
    widths = [b - a for a, b in zip(xs, xs[1:])]
    rises = [(b - a) / w for a, b, w in zip(ys, ys[1:], widths)]

    def end(w0, w1, r0, r1):
        slope = ((2 * w0 + w1) * r0 - w0 * r1) / (w0 + w1)
        if slope * r0 <= 0:
            return 0
        return 3 * r0 if r0 * r1 <= 0 and abs(slope) > 3 * abs(r0) else slope

    inner = []
    for w0, w1, r0, r1 in zip(widths, widths[1:], rises, rises[1:]):
        a, b = 2 * w1 + w0, w1 + 2 * w0
        inner.append((a + b) / (a / r0 + b / r1) if r0 * r1 > 0 else 0)
    return [end(widths[0], widths[1], rises[0], rises[1]), *inner,
            end(widths[-1], widths[-2], rises[-1], rises[-2])]


def mean_between(points, low, high, steps=400):
    """Of the curve through points (x, y), for x in [low, high]."""
    xs, ys = zip(*sorted(points))
    slopes = slopes_of(xs, ys)
    total = 0
    for step in range(steps):
        x = low + (high - low) * (step + 0.5) / steps
        k = max(0, min(len(xs) - 2, sum(known <= x for known in xs) - 1))
        w = xs[k + 1] - xs[k]
        t = (x - xs[k]) / w
        total += ((1 + 2 * t) * (1 - t)**2 * ys[k] + t * (1 - t)**2 * w * slopes[k] +
                  t * t * (3 - 2 * t) * ys[k + 1] + t * t * (t - 1) * w * slopes[k + 1])
    return total / steps


def bd_rate(anchor, test):
    """Percent; both are lists of bits, PSNR and seconds."""
    low = max(min(psnr for _, psnr, _ in points) for points in (anchor, test))
    high = min(max(psnr for _, psnr, _ in points) for points in (anchor, test))
    logs = [mean_between([(psnr, math.log(bits)) for bits, psnr, _ in points], low, high)
            for points in (anchor, test)]
    return 100 * (math.exp(logs[1] - logs[0]) - 1)


def time_at(points, psnr):
    """Interpolated, or that of the nearest point."""
    known = sorted((p, s) for _, p, s in points)
    if psnr <= known[0][0]:
        return known[0][1]
    for (p0, s0), (p1, s1) in zip(known, known[1:]):
        if psnr <= p1:
            return s0 + (s1 - s0) * (psnr - p0) / (p1 - p0)
    return known[-1][1]


def measure_picture(mmp, path, folder):
    """Returns seconds and BD-rate by codec and step."""
    picture = Picture(path, folder)
    points = {}
    for quality in range(len(LAMBDAS)):
        for codec, steps, qualities, encode, decode in SERIES:
            for step in steps:
                command = encode.format(mmp=mmp, step=step, quality=qualities[quality])
                point = picture.measure(command, decode.format(mmp=mmp))
                points.setdefault((codec, step), []).append(point)
    wanted = [points['mmp', 5][LAMBDAS.index(value)][1] for value in REFERENCE_LAMBDAS]
    scale = 2**18 / (picture.width * picture.height) / len(wanted)
    anchor = points['x265', 'placebo']
    return {key: (scale * sum(time_at(curve, psnr) for psnr in wanted), bd_rate(anchor, curve))
            for key, curve in points.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('mmp', type=Path)
    parser.add_argument('pictures', type=Path, nargs='+')
    arguments = parser.parse_args()
    results = []
    for path in arguments.pictures:
        with tempfile.TemporaryDirectory(prefix='mmp_time_against_rate_') as folder:
            results.append(measure_picture(arguments.mmp.resolve(), path.resolve(), Path(folder)))
        print(path.name, file=sys.stderr)
    writer = csv.writer(sys.stdout, lineterminator='\n')
    writer.writerow(['codec', 'step', 'seconds', 'bd_rate'])
    for codec, step in results[0]:
        means = [sum(values) / len(results) for values in zip(*(r[codec, step] for r in results))]
        writer.writerow([codec, step, f'{means[0]:.3f}', f'{means[1]:.2f}'])


if __name__ == '__main__':
    main()
