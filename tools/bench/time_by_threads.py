#!/usr/bin/env python3
"""Measures encoding and decoding on the CPU by several numbers of threads.

    time_by_threads.py MMP IMAGE... [--threads 1,2,4,8,16] [--presets best,fast] [--order wavefront]
                       [--tile 2048x2048] [--repeat 3] > threads.csv     then plot_cuda.py threads.csv

CSV has the columns of mmp_cuda_bench; cpu_seconds are those of the whole command, the least of so
many, and cores its threads.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = ('what,image,width,height,tile,lambda,dictionary,jobs,devices,device,seconds,'
           'images_per_second,device_seconds,cpu_seconds,cores').split(',')


def seconds_of(command, repeat):
    def once():
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - start
    return min(once() for _ in range(repeat))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('mmp')
    parser.add_argument('images', nargs='+')
    parser.add_argument('--threads', default='1,2,4,8,16')
    parser.add_argument('--presets', default='best,fast')
    parser.add_argument('--order', default='wavefront', choices=['raster', 'wavefront'])
    parser.add_argument('--tile', help='as that of mmp encode')
    parser.add_argument('--lambda', dest='multiplier', default='10')
    parser.add_argument('--repeat', type=int, default=3)
    arguments = parser.parse_args()
    table = csv.DictWriter(sys.stdout, COLUMNS, restval='')
    table.writeheader()
    with tempfile.TemporaryDirectory() as folder:
        coded, decoded = f'{folder}/coded.mmp', f'{folder}/decoded.pgm'
        for image in arguments.images:
            for preset in arguments.presets.split(','):
                encode = [arguments.mmp, 'encode', image, '-o', coded, '--force', '--backend', 'cpu',
                          '--preset', preset, '--order', arguments.order, '--lambda',
                          arguments.multiplier, '--exact-lambda']
                encode += ['--tile', arguments.tile] if arguments.tile else []
                decode = [arguments.mmp, 'decode', coded, '-o', decoded, '--force']
                for name, command in (('encode', encode), ('decode', decode)):
                    for threads in arguments.threads.split(','):
                        seconds = seconds_of(command + ['--threads', threads], arguments.repeat)
                        info = json.loads(subprocess.run(
                            [arguments.mmp, 'info', '--json', coded], check=True,
                            stdout=subprocess.PIPE).stdout)
                        table.writerow({
                            'what': f'{name}, {preset}, {arguments.order}',
                            'image': Path(image).stem, 'width': info['width'],
                            'height': info['height'], 'tile': info['tile_width'],
                            'lambda': arguments.multiplier, 'dictionary': info['dictionary_size'],
                            'jobs': 1, 'devices': 0,
                            'cpu_seconds': f'{seconds:.3f}', 'cores': threads})
                        sys.stdout.flush()


if __name__ == '__main__':
    main()
