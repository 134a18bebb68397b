"""Written from docs/format.md alone, a part of spec_decoder.py: "Tiles", "Macroblock" and "Intra block copy"."""

import spec_exact_blocks
import spec_flag_decoder
import spec_indices
from spec_container import (CORRECTIONS, EXACT_BLOCKS, FLAG_NETWORK, JPEG_LATTICE, LEVEL_MAPS, MIXED_MODELS, NEIGHBOUR_INDICES, NEIGHBOUR_MODES, NETWORK,
                            REVERSED_RESIDUALS, SMALL_NETWORK, SUBSTREAMS, TWO_NETWORKS, WIENER)
from spec_conventions import HORIZONTAL, LEVELS, MACROBLOCK, SIZES, VERTICAL, clip, require
from spec_dictionary import PatternList, insert_concatenations
from spec_models import Learner, ModeModel, PartitionModel, RangeDecoder, decode_small
from spec_postfilter import JPEG_ORDER, Wiener, filter_by_network, map_levels, pull_to_lattice, told_step
from spec_prediction import Border


def list_fronts(rows, columns, has_wave_fronts):
    """The fronts of a tile of so many macroblocks, each a list of (row, column)."""
    places = [(r, c) for r in range(rows) for c in range(columns)]
    if not has_wave_fronts:
        return [[place] for place in places]
    fronts = {}
    for r, c in places:
        fronts.setdefault(c + 2 * r, []).append((r, c))
    return [fronts[t] for t in sorted(fronts)]


def count_substreams(fronts):
    """Of a tile whose models learn by fronts."""
    largest, count = max(map(len, fronts)), 1
    while count < 8 and largest >= 32 * count:
        count *= 2
    return count


def split_substreams(stream, count):
    sizes = [int.from_bytes(stream[4 * k:4 * k + 4], "little") for k in range(count - 1)]
    start = 4 * len(sizes)
    require(start + sum(sizes) <= len(stream), "the substreams are longer than the stream")
    substreams = []
    for size in sizes:
        substreams.append(stream[start:start + size])
        start += size
    return [*substreams, stream[start:]]


class Tile:

    def __init__(self, header, width, height, stream, dictionary):
        self.header, self.width, self.height = header, width, height
        # None is a pixel that is not available. As no rule looks further than 26 pixels in any
        # direction, the 32 lines added at the bottom and the right serve positions
        # below 0 too: these count from the end in Python. Nor does a rule look as far as another
        # macroblock of the same front, which is why its pixels may be here at once. Copies do: they go
        # by the fronts of macroblocks.
        self.rows, self.columns = -(-height // 16) * 16, -(-width // 16) * 16
        self.pixels = [[None] * (self.columns + 32) for _ in range(self.rows + 32)]
        self.predicted = [[None] * self.columns for _ in range(self.rows)]
        self.fronts = list_fronts(self.rows // 16, self.columns // 16, header.has_wave_fronts)
        self.front_of = {place: t for t, front in enumerate(self.fronts) for place in front}
        learns_by_fronts = bool(header.has_wave_fronts and header.tools & SUBSTREAMS and header.tools & FLAG_NETWORK)
        self.learner = Learner(learns_by_fronts)
        count = count_substreams(self.fronts) if learns_by_fronts else 1
        self.decoders = [RangeDecoder(substream) for substream in split_substreams(stream, count)]
        self.substream, self.decoder = 0, self.decoders[0]
        self.partition = [PartitionModel(bool(header.tools & MIXED_MODELS))
                                for _ in LEVELS]
        self.flags, self.all_flags = None, [None] * count
        if header.tools & FLAG_NETWORK:
            logarithms = [(r.bit_length() - 1, c.bit_length() - 1) for r, c in SIZES]
            for k, decoder in enumerate(self.decoders):
                self.all_flags[k] = spec_flag_decoder.FlagDecoder(decoder, logarithms, header.scale, self.all_flags[0])
        self.leaf_sizes = [[None] * self.columns for _ in range(self.rows)]
        self.residual_flag = [[16] * 3 for _ in LEVELS]
        mask = header.mode_mask
        modes = 31 if mask >> 27 else 27 if mask >> 10 else 10
        self.mode = [ModeModel(modes, bool(header.tools & NEIGHBOUR_MODES), self.learner) for _ in LEVELS]
        self.coded_modes = [[31] * self.columns for _ in range(self.rows)]
        self.vectors, self.block_vector_count, self.block_vector_class = [], [16] * 3, ([16] * 17, [16] * 17)
        self.filter_strength, self.filter_block = [16] * 7, [16] * 3
        self.dictionary = [PatternList(level, header, dictionary, self.learner) for level in LEVELS]
        self.leaves = None
        if header.tools & NEIGHBOUR_INDICES:
            self.leaves = spec_indices.LeafSurroundings(header, self.rows, self.columns)
            self.known = [None] + [spec_indices.KnownPatterns(self.leaves.measure, level) for level in LEVELS[1:]]

    def decode(self):
        """Returns the rows of the tile."""
        level, *network = self.network_choice() if self.header.tools & NETWORK else (0, [], [], (0, 0))
        has_wiener = self.header.tools & WIENER and (level == 0 or self.header.tools & CORRECTIONS)
        wiener_choice = self.wiener_choice(level > 0) if has_wiener else (0, None, [])
        lattice = self.jpeg_lattice() if self.header.tools & JPEG_LATTICE else None
        kind, maps = self.level_maps() if self.header.tools & LEVEL_MAPS else (0, [])
        exact = self.exact_blocks() if self.header.tools & EXACT_BLOCKS else {}
        for front in self.fronts:
            self.concatenations, self.copied = [], set()
            if self.header.mode_mask >> 27:
                self.new_vectors()
            for row, column in front:
                self.enter_substream(row % len(self.decoders))
                self.prediction_node(16 * row, 16 * column, MACROBLOCK, (None, None))
            self.enter_substream(0)
            self.learner.end_front()
            insert_concatenations(self.dictionary, self.concatenations, self.header.capacity,
                                  self.header.threshold)
            self.vectors.sort(key=lambda vector: vector not in self.copied)
        self.filter_by_network(level, *network)
        self.filter(level > 0, *wiener_choice)
        if lattice:
            pull_to_lattice(self.pixels, self.width, self.height, *lattice)
        if kind > 0:
            plane = [row[:self.columns] for row in self.pixels[:self.rows]]
            for row, mapped in zip(self.pixels, map_levels(plane, kind, maps)):
                row[:self.columns] = mapped
        for (y, x), sample in exact.items():
            self.pixels[y][x] = sample
        require(all(decoder.taken >= len(decoder.stream) for decoder in self.decoders), "a stream has unread bytes")
        return [bytes(row[:self.width]) for row in self.pixels[:self.height]]

    def enter_substream(self, k):
        self.substream, self.decoder, self.flags = k, self.decoders[k], self.all_flags[k]

    def blocks(self):
        """The pixels of each block of 32x32, a block after another."""
        for y in range(0, self.rows, 32):
            for x in range(0, self.columns, 32):
                yield [(i, j) for i in range(y, min(y + 32, self.rows))
                       for j in range(x, min(x + 32, self.columns))]

    def networks(self, pair=0):
        """The names of those that there are, number 1 first."""
        is_small, are_two = (self.header.tools & tool for tool in (SMALL_NETWORK, TWO_NETWORKS))
        if not are_two:
            return ["small" if is_small else "large"]
        return ["first small", "second small"] if is_small else ["first deep", ("second deep", "third deep")[pair]]

    def network_choice(self):
        """The level, of each block the number of its network, or 0, the names of these, and where the third one begins."""
        level = decode_small(self.decoder, [16] * 23, list(range(23)))
        numbers = list(range(len(self.networks()) + 1))
        counts = [16] * len(numbers)
        blocks = [decode_small(self.decoder, counts, numbers) if level else 0
                  for _ in self.blocks()]
        has_pair = 2 in blocks and not self.header.tools & SMALL_NETWORK
        pair = self.network_pair() if has_pair else 0
        return level, blocks, self.networks(pair), self.network_origin() if pair == 1 else (0, 0)

    def network_pair(self):
        return decode_small(self.decoder, [16, 16], [0, 1])

    def network_origin(self):
        return divmod(decode_small(self.decoder, [16] * 4, [0, 1, 2, 3]), 2)

    def filter_by_network(self, level, network_blocks, names, origin):
        plane = [row[:self.columns] for row in self.pixels[:self.rows]]
        for number, name in enumerate(names, 1):
            d, e = origin if name == "third deep" else (0, 0)
            chosen = [(i, j) for block, network in zip(self.blocks(), network_blocks) if network == number
                      for i, j in block if d <= i < self.rows - d and e <= j < self.columns - e]
            if chosen:
                within = [[row[e:self.columns - e] for row in rows[d:self.rows - d]] for rows in (plane, self.predicted)]
                filtered = filter_by_network(*within, level, name)
                for i, j in chosen:
                    self.pixels[i][j] = filtered[i - d][j - e]

    def wiener_choice(self, is_after_network):
        """The strength, the corrections, if there are any, and the kind of each block."""
        strength = decode_small(self.decoder, self.filter_strength, list(range(7)))
        if strength == 0:
            return 0, None, []
        corrections = self.corrections(is_after_network) if self.header.tools & CORRECTIONS else None
        kinds = [0, 2] if is_after_network else [0, 1, 2] if corrections else [0, 1]
        return strength, corrections, [decode_small(self.decoder, self.filter_block, kinds)
                                       for _ in self.blocks()]

    def filter(self, is_after_network, strength, corrections, kinds):
        if strength == 0:
            return
        plane = [row[:self.columns] for row in self.pixels[:self.rows]]
        wiener = Wiener(plane, strength, is_after_network)
        for block, kind in zip(self.blocks(), kinds):
            if kind == 0:
                continue
            for i, j in block:
                self.pixels[i][j] = wiener.filtered(i, j, corrections if kind == 2 else None)

    def corrections(self, is_after_network):
        """What is added to the weights, by class and term; None if nothing is."""
        decoder = self.decoder
        count = decode_small(decoder, [16] * 9, list(range(1 if is_after_network else 0, 9)))
        if count == 0:
            return None
        step = decode_small(decoder, [16] * 4, list(range(4)))
        same_set, other_set = [16] * 2, [16] * 8
        sizes = [[40, 36, 36, 28, 12, 4, 1, 1, 1, 1] for _ in range(2)]
        set_of = [0] * 40
        for d in range(5):
            for a in range(8):
                which, others = 5 * a + d, list(range(count))
                if count > 1 and which > 0:
                    set_of[which] = set_of[which - 5 if a else d - 1]
                    if decode_small(decoder, same_set, [0, 1]):
                        continue
                    others.remove(set_of[which])
                set_of[which] = decode_small(decoder, other_set, others)
        sets = [[self.correction(sizes[term // 12]) << step for term in range(24)]
                for _ in range(count)]
        return [sets[s] for s in set_of]

    def correction(self, model):
        size = decode_small(self.decoder, model, list(range(len(model))))
        if size == 0:
            return 0
        value = 1 << (size - 1) | (self.bits(size - 1) if size > 1 else 0)
        return -value if self.bits(1) else value

    def jpeg_lattice(self):
        """Where the first block begins, and by place in a block the pull and the step; None if there is no lattice."""
        if decode_small(self.decoder, [255, 1], [0, 1]) == 0:
            return None
        row, column, quality = self.bits(3), self.bits(3), self.bits(7)
        pulls = [128, 48, 16, 6, 4, 4, 4, 4, 4, 4, 6, 16, 48]
        sizes = [64, 16, 8, 8, 8, 4, 4, 4, 4]
        pull, step, frequencies = 0, 16, {}
        for place in JPEG_ORDER:
            pull = (pull + decode_small(self.decoder, pulls, list(range(13)))) % 13
            if pull > 0:
                step = min(max(told_step(quality, place, step) + self.correction(sizes), 1), 255)
                frequencies[place] = pull, step
        return row, column, frequencies

    def level_maps(self):
        """Their kind, and for each map what the 256 levels become."""
        kind = decode_small(self.decoder, [64, 16, 8, 8, 8], list(range(5)))
        models = [[48, 16, 6, 6, 6, 3, 1, 1, 1, 1], [4, 192, 3, 2, 1, 1, 1, 1, 1, 1],
                  [32, 16, 6, 4, 3, 2, 1, 1, 1, 1]]
        return kind, [self.level_map(models) for _ in range(min(kind, 2))]

    def level_map(self, models):
        levels, level, last = [], -1, 1
        for _ in range(256):
            last = decode_small(self.decoder, models[min(last, 2)], list(range(10)))
            level += last
            if last > 2:
                level += 2**(last - 2) + 1 - last + self.bits(last - 2)
            levels.append(clip(level))
        return levels

    def exact_blocks(self):
        if decode_small(self.decoder, [255, 1], [0, 1]) == 0:
            return {}
        return spec_exact_blocks.exact_blocks(spec_exact_blocks.Bits(self.decoder), self.width, self.height)

    def new_vectors(self):
        for _ in range(decode_small(self.decoder, self.block_vector_count, [0, 1, 2])):
            vector = -self.component(0), self.component(1)
            if vector in self.vectors:
                self.vectors.remove(vector)
            self.vectors = [vector] + self.vectors[:3]

    def component(self, axis):
        b = decode_small(self.decoder, self.block_vector_class[axis], list(range(17)))
        if b == 0:
            return 0
        s = 2**(b - 1) + (self.bits(b - 1) if b > 1 else 0)
        return -s if axis == 1 and self.bits(1) else s

    def bits(self, k):
        t = self.decoder.target(2**k)
        self.decoder.consume(t, 1)
        return t

    def block_copy_modes(self, y, x, h, w):
        """Of the block at (y, x), the source of each mode that is available."""
        sources = {}
        own_front = self.front_of[y // 16, x // 16]
        for k, (u, v) in enumerate(self.vectors):
            top, left, bottom, right = y + u, x + v, y + u + h - 1, x + v + w - 1
            if top >= 0 and left >= 0 and bottom < self.rows and right < self.columns:
                touched = [self.front_of[r, c] for r in range(top // 16, bottom // 16 + 1)
                           for c in range(left // 16, right // 16 + 1)]
                if max(touched) < own_front:
                    sources[27 + k] = top, left
        return sources

    def decode_partition(self, y, x, level, allowed, cut):
        context = self.leaf_context(y, x, level)
        if self.flags and len(allowed) > 1:
            return self.flags.partition(y, x, level, context, allowed, cut)
        return self.partition[level].decode(self.decoder, context, allowed)

    def prediction_node(self, y, x, level, cut):
        """Returns the partition. `cut`: as FlagDecoder has it."""
        rows, columns = SIZES[level]
        v, h = VERTICAL[level], HORIZONTAL[level]
        least = self.header.prediction_level
        is_allowed = [True, v is not None and v >= least, h is not None and h >= least,
                      v is not None, h is not None]
        flag = self.decode_partition(y, x, level, [f for f in range(5) if is_allowed[f]], cut)
        if flag == 1:
            first = self.prediction_node(y, x, v, (flag, None))
            self.prediction_node(y, x + columns // 2, v, (flag, first))
        elif flag == 2:
            first = self.prediction_node(y, x, h, (flag, None))
            self.prediction_node(y + rows // 2, x, h, (flag, first))
        else:
            border = Border(self.pixels, y, x, level)
            copies = self.block_copy_modes(y, x, rows, columns)
            modes = [m for m in border.modes() + list(copies) if self.header.mode_mask >> m & 1]
            left = self.coded_modes[y][x - 1] if x else 31
            above = self.coded_modes[y - 1][x] if y else 31
            mode = self.mode[level].decode(self.decoder, self.substream, left, above, modes)
            for line in self.coded_modes[y:y + rows]:
                line[x:x + columns] = [mode] * columns
            if mode in copies:
                self.copied.add(self.vectors[mode - 27])
                top, left = copies[mode]
                prediction = [row[left:left + columns] for row in self.pixels[top:top + rows]]
            else:
                prediction = border.predict(mode)
            if self.flags:
                self.flags.add_prediction(y, x, level, mode)
            self.block = y, x, level, mode
            residual = self.residual(y, x, level, flag - 2 if flag else 0, 0)
            if self.header.tools & REVERSED_RESIDUALS and sum(map(sum, prediction)) >= 128 * rows * columns:
                residual = [-r for r in residual]
            for i in range(rows):
                self.predicted[y + i][x:x + columns] = prediction[i]
                self.pixels[y + i][x:x + columns] = [
                    clip(prediction[i][j] + residual[i * columns + j]) for j in range(columns)]
        return flag

    def leaf_context(self, y, x, level):
        def compare(position, axis):
            neighbour, own = self.leaf_sizes[position[0]][position[1]][axis], SIZES[level][axis]
            return (neighbour >= own) + (neighbour > own)

        return 4 * (compare((y, x - 1), 0) if x else 3) + (compare((y - 1, x), 1) if y else 3)

    def residual(self, y, x, level, flag, depth):
        """A block that so many cuts of the residual made."""
        if flag == 0:
            rows, columns = SIZES[level]
            for line in self.leaf_sizes[y:y + rows]:
                line[x:x + columns] = [SIZES[level]] * columns
            pattern = self.leaf_by_neighbours(y, x, level) if self.leaves else self.leaf(level)
            if self.flags:
                self.flags.add_leaf(y, x, level, pattern)
            return pattern
        half = VERTICAL[level] if flag == 1 else HORIZONTAL[level]
        second = (y, x + SIZES[half][1]) if flag == 1 else (y + SIZES[half][0], x)
        first = self.decode_residual_flag(y, x, half, (flag, None), depth + 1)
        a = self.residual(y, x, half, first, depth + 1)
        last = self.decode_residual_flag(*second, half, (flag, first), depth + 1)
        b = self.residual(*second, half, last, depth + 1)
        pattern = a + b
        if flag == 1:
            n = SIZES[half][1]
            pattern = tuple(v for i in range(0, len(a), n) for v in a[i:i + n] + b[i:i + n])
        self.concatenations.append((level, pattern))
        return pattern

    def leaf(self, level):
        known = self.dictionary[level]
        return known.patterns[known.model.decode(self.decoder)]

    def leaf_by_neighbours(self, y, x, level):
        if level == 0:
            pattern = self.leaf(level)
            self.leaves.add(y, x, level, pattern, self.leaves.measure.features(pattern, level))
            return pattern
        patterns, known = self.dictionary[level].patterns, self.known[level]
        known.add_new(patterns)
        context = self.leaves.context(y, x, level, self.block)
        index = self.dictionary[level].model.decode_by_neighbours(self.decoder, self.substream, known, context)
        self.leaves.add(y, x, level, patterns[index], known.features[index])
        return patterns[index]

    def decode_residual_flag(self, y, x, level, cut, depth):
        is_allowed = [True, VERTICAL[level] is not None, HORIZONTAL[level] is not None]
        allowed = [f for f in range(3) if is_allowed[f]]
        if self.flags and len(allowed) > 1:
            context = self.leaf_context(y, x, level)
            return self.flags.residual_flag(y, x, level, context, allowed, cut, depth)
        return decode_small(self.decoder, self.residual_flag[level], allowed)
