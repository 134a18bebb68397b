// Writes PNG files as the program does: gray samples of 1, 2, 4, 8 or 16 bits, or red, green and
// blue of 8.
"use strict";

const png = {
  SIGNATURE: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),

  CRCS: Uint32Array.from(
      {length: 256},
      (_, byte) => {
        for (let bit = 0; bit < 8; ++bit) byte = byte & 1 ? 0xedb88320 ^ (byte >>> 1) : byte >>> 1;
        return byte;
      }),

  crc(bytes) {
    let crc = 0xffffffff;
    for (const byte of bytes) crc = png.CRCS[(crc ^ byte) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
  },

  chunk(name, content) {
    const chunk = new Uint8Array(12 + content.length);
    const view = new DataView(chunk.buffer);
    view.setUint32(0, content.length);
    for (let i = 0; i < 4; ++i) chunk[4 + i] = name.charCodeAt(i);
    chunk.set(content, 8);
    view.setUint32(8 + content.length, png.crc(chunk.subarray(4, 8 + content.length)));
    return chunk;
  },

  // The bits a sample gets: its own, or whole bytes.
  bits(depth) {
    return [1, 2, 4, 8, 16].includes(depth) ? depth : depth < 8 ? 8 : 16;
  },

  // The sample as the highest of `bits` bits, with its own bits repeated below.
  replicated(sample, depth, bits) {
    let result = 0;
    for (let shift = bits - depth;; shift -= depth) {
      if (shift <= 0) return result | (sample >> -shift);
      result |= sample << shift;
    }
  },

  // Row y of the picture as bytes of the file.
  rowBytes({width, depth, channels, samples}, y, bits, row) {
    const count = width * channels, start = y * count;
    if (bits === 8 && depth === 8) {
      row.set(samples.subarray(start, start + count));
    } else if (bits >= 8) {
      for (let x = 0; x < count; ++x) {
        const sample = png.replicated(samples[start + x], depth, bits);
        if (bits === 8) {
          row[x] = sample;
        } else {
          row[2 * x] = sample >> 8;
          row[2 * x + 1] = sample & 255;
        }
      }
    } else {
      row.fill(0);
      for (let x = 0; x < count; ++x)
        row[(x * bits) >> 3] |= samples[start + x] << (8 - bits - ((x * bits) & 7));
    }
  },

  PREDICTORS: [
    () => 0,
    (left) => left,
    (_, up) => up,
    null,  // the average of both, which is left out
    (left, up, corner) => {
      const toLeft = Math.abs(up - corner), toUp = Math.abs(left - corner);
      const toCorner = Math.abs(left + up - 2 * corner);
      return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
    },
  ],

  // Writes a filter's number and what it leaves of the row to `out`; returns the sum of magnitudes.
  filter(number, row, above, step, out) {
    const predict = png.PREDICTORS[number];
    let sum = 0;
    out[0] = number;
    for (let i = 0; i < row.length; ++i) {
      const left = i < step ? 0 : row[i - step], corner = i < step ? 0 : above[i - step];
      const rest = (row[i] - predict(left, above[i], corner)) & 255;
      out[i + 1] = rest;
      sum += rest < 128 ? rest : 256 - rest;
    }
    return sum;
  },

  // All rows, each behind the number of the filter that leaves least of it.
  filteredRows(picture, bits, filters) {
    const {width, height, channels} = picture;
    const size = Math.ceil((width * channels * bits) / 8),
          step = Math.max(1, (channels * bits) >> 3);
    const rows = new Uint8Array(height * (size + 1)), candidate = new Uint8Array(size + 1);
    let row = new Uint8Array(size), above = new Uint8Array(size);
    for (let y = 0; y < height; ++y) {
      png.rowBytes(picture, y, bits, row);
      let least = Infinity;
      for (const number of filters) {
        const sum = png.filter(number, row, above, step, candidate);
        if (sum >= least) continue;
        least = sum;
        rows.set(candidate, y * (size + 1));
      }
      [row, above] = [above, row];
    }
    return rows;
  },

  // The file of a picture: {width, height, depth, channels, samples}; of more bytes or slower made
  // with fewer filters to choose from.
  async encode(picture, filters = [0, 1, 2, 4]) {
    const {width, height, depth, channels} = picture;
    const bits = png.bits(depth);
    const header = new Uint8Array(13);
    const view = new DataView(header.buffer);
    view.setUint32(0, width);
    view.setUint32(4, height);
    header.set([bits, channels === 1 ? 0 : 2, 0, 0, 0], 8);
    const rows = new Blob([png.filteredRows(picture, bits, bits < 8 ? [0] : filters)]);
    const packed = await new Response(rows.stream().pipeThrough(new CompressionStream("deflate")))
                       .arrayBuffer();
    return new Blob(
        [
          png.SIGNATURE,
          png.chunk("IHDR", header),
          ...(bits === depth ? [] : [png.chunk("sBIT", Uint8Array.of(depth))]),
          png.chunk("IDAT", new Uint8Array(packed)),
          png.chunk("IEND", new Uint8Array(0)),
        ],
        {type: "image/png"});
  },
};
