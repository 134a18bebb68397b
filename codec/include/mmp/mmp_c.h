/* mmp in C (C99 and later): encodes and decodes grayscale images in memory.
 *
 * The functions do what those of mmp/mmp.h do, which says more of what the options mean, and make
 * and read the same files.
 *
 * Errors: functions that can fail return MMP_OK or why they failed; mmp_error_message() then says
 * it in words. No C++ exception leaves them. If one fails, what it was to make, by its last
 * arguments, is set to null and 0. A null pointer where none is allowed fails with
 * MMP_INVALID_ARGUMENT, but where it is said that an argument must not be null.
 *
 * Ownership: what a function makes belongs to the caller, who gives it back to the free function of
 * its kind; all of these take null, too. What is handed in stays the caller's and is used during
 * the call only; options keep copies.
 *
 * Threads: all functions may be called from several threads at once. An object of options may be
 * used by several calls at once while nothing is set in it.
 *
 * Later versions of the same major number have all that is here, with the same types, numbers and
 * meanings, and may add functions, and values to the enumerations, also to those that functions
 * return: expect values that you do not know. The structs stay as they are. As it is the library of
 * C++ programs, too, it has another soname after each change of the minor number, for which
 * programs are linked anew.
 */
#ifndef MMP_MMP_C_H_
#define MMP_MMP_C_H_

#include <stddef.h>
#include <stdint.h>

#include "mmp/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. */
#define MMP_VERSION_MAJOR 1
#define MMP_VERSION_MINOR 0
#define MMP_VERSION_PATCH 0

/* The version of the library that the program runs with, "1.0.0". */
MMP_EXPORT const char* mmp_version(void);

/* Status */

typedef enum mmp_status {
  MMP_OK = 0,
  MMP_INVALID_ARGUMENT = 1, /* an option or a call is wrong */
  MMP_UNSUPPORTED = 2,      /* no file of mmp, or not one that can be read so */
  MMP_CORRUPT = 3,          /* the file is damaged */
  MMP_LIMIT_EXCEEDED = 4,   /* see mmp_decode_options_set_max_pixels, ..._work, ..._memory */
  MMP_IO = 5,               /* a function that was to read a file said that it cannot */
  MMP_UNAVAILABLE = 6,      /* the backend asked for is not there, or failed */
  MMP_OUT_OF_MEMORY = 7,
  MMP_CANCELLED = 8,     /* the progress function asked to stop */
  MMP_INTERNAL_ERROR = 9 /* a fault of the library, or a progress function that threw */
} mmp_status;

/* A few words for a status ("out of memory"), for values that there are none of, too. Never null;
 * lives as long as the program. */
MMP_EXPORT const char* mmp_status_text(int status);

/* One sentence that says what went wrong in the last function of this header that failed on the
 * calling thread, and where possible what to do; "" if none has failed. Valid until the next that
 * fails on this thread. */
MMP_EXPORT const char* mmp_error_message(void);

/* Frees the file that mmp_encode made. */
MMP_EXPORT void mmp_free(void* memory);

/* Called now and then while work goes on, from any of the working threads but never from two at
 * once, with the part done in [0, 1] and the context that it was set with. Returns 0 to cancel (the
 * call then fails with MMP_CANCELLED), another number to go on. It must not leave by longjmp. */
typedef int (*mmp_progress_function)(double done, void* context);

/* Encoding */

typedef enum mmp_preset {
  MMP_PRESET_THESIS = 0, /* the reference configuration, searched exhaustively */
  MMP_PRESET_FAST = 1,   /* as best, but fewer candidates tried and half the patterns */
  MMP_PRESET_BEST = 2,   /* all tools that pay */
  MMP_PRESET_QUICK = 3   /* as fast, but far fewer candidates tried, and smaller networks */
} mmp_preset;

typedef enum mmp_backend {
  MMP_BACKEND_AUTO = 0, /* CUDA if the program has enabled it (mmp/mmp_cuda.h), else the CPU */
  MMP_BACKEND_CPU = 1,
  MMP_BACKEND_CUDA = 2
} mmp_backend;

typedef enum mmp_order {
  MMP_ORDER_AUTO = 0, /* as preset and image are: wave fronts, but for drawings, print and thesis */
  MMP_ORDER_RASTER = 1,   /* one macroblock after another, row by row */
  MMP_ORDER_WAVEFRONT = 2 /* many macroblocks at a time */
} mmp_order;

/* What the samples of an image are coded by. */
typedef enum mmp_coder {
  MMP_CODER_AUTO = 0,     /* for an encoder: whichever makes the better file */
  MMP_CODER_PATTERNS = 1, /* blocks predicted, and residuals made of a dictionary's patterns */
  MMP_CODER_PIXELS = 2    /* pixel after pixel: lossless, or with a bound on every sample's error */
} mmp_coder;

typedef struct mmp_encode_options mmp_encode_options;

/* The defaults: lambda 10, preset best, one thread a core. Null if there is no memory. */
MMP_EXPORT mmp_encode_options* mmp_encode_options_new(void);
MMP_EXPORT void mmp_encode_options_free(mmp_encode_options* options);

/* These fail if `options` is null; whether values are in range is checked by mmp_encode, which
 * fails with MMP_INVALID_ARGUMENT and names the option. */

/* The squared error that a bit may cost, of samples scaled to [0, 255], in [0, 65536]; 0 is
 * lossless. */
MMP_EXPORT mmp_status mmp_encode_options_set_lambda(mmp_encode_options* options, double lambda);
/* If not 0, the file is encoded at that lambda even if a lossless one would cost less. */
MMP_EXPORT mmp_status mmp_encode_options_set_exact_lambda(mmp_encode_options* options, int exact);
/* No sample of the decoded image differs by more than this from the original, in place of lambda; 0
 * is lossless. In [0, 2^depth - 1], or -1: no bound, as by default. */
MMP_EXPORT mmp_status mmp_encode_options_set_max_error(mmp_encode_options* options, int max_error);
/* Of mmp_coder. */
MMP_EXPORT mmp_status mmp_encode_options_set_coder(mmp_encode_options* options, int coder);
/* Of mmp_preset. */
MMP_EXPORT mmp_status mmp_encode_options_set_preset(mmp_encode_options* options, int preset);
/* How much is tried, in place of presets quick, fast and best: 1 (fastest) to 9 (smallest files),
 * of which they are 2, 5 and 9; 0: as the preset is, as by default. */
MMP_EXPORT mmp_status mmp_encode_options_set_effort(mmp_encode_options* options, int effort);
/* These four take the place of what the preset or effort has. */
/* Most patterns a level, in [69, 65536]. */
MMP_EXPORT mmp_status mmp_encode_options_set_dictionary_size(mmp_encode_options* options,
                                                             int patterns);
/* The smallest level that is predicted, in [0, 25]; 25: no splits. */
MMP_EXPORT mmp_status mmp_encode_options_set_prediction_level(mmp_encode_options* options,
                                                              int level);
/* Bit m allows prediction mode m; in [1, 2^31). */
MMP_EXPORT mmp_status mmp_encode_options_set_modes(mmp_encode_options* options, uint32_t modes);
/* Bits as in docs/format.md, "File". */
MMP_EXPORT mmp_status mmp_encode_options_set_tools(mmp_encode_options* options, uint32_t tools);
/* The bytes of a dictionary file, which are copied. The decoder needs it, too. 0 bytes: the
 * standard dictionary. Also fails with MMP_OUT_OF_MEMORY, and then nothing is changed. */
MMP_EXPORT mmp_status mmp_encode_options_set_dictionary_file(mmp_encode_options* options,
                                                             const void* bytes, size_t size);
/* Metadata. Files keep blocks of bytes that the codec does not look into; the kinds are those of
 * mmp/metadata.h. */
typedef enum mmp_metadata_kind {
  MMP_METADATA_ICC_PROFILE = 1,
  MMP_METADATA_EXIF = 2, /* a TIFF file without pictures */
  MMP_METADATA_XMP = 3,
  MMP_METADATA_RESOLUTION = 4, /* 17 bytes: docs/format.md, "Metadata" */
  MMP_METADATA_TEXT = 5,       /* a keyword, a byte 0, and text, both in UTF-8 */
  MMP_METADATA_GEOTIFF = 6,    /* a TIFF file without pictures */
  MMP_METADATA_OME_XML = 7
} mmp_metadata_kind;

/* Adds a chunk, whose bytes are copied; `kind` is in [1, 255]. At most 256, of 2^24 - 1 bytes
 * together, 8 counted for each beside its own. Also fails with MMP_OUT_OF_MEMORY, and then nothing
 * is changed. */
MMP_EXPORT mmp_status mmp_encode_options_add_metadata(mmp_encode_options* options, int kind,
                                                      const void* bytes, size_t size);
/* Takes all of them out again. */
MMP_EXPORT mmp_status mmp_encode_options_clear_metadata(mmp_encode_options* options);
/* If not 0, the samples stand for numbers that are less by 2^(depth - 1), such as int16 as uint16,
 * 32768 added; the file says so. */
MMP_EXPORT mmp_status mmp_encode_options_set_signed(mmp_encode_options* options, int is_signed);
/* Pixels: multiples of 16, or both 0: one tile up to 2^20 pixels, equal ones of sides up to 1024
 * above. */
MMP_EXPORT mmp_status mmp_encode_options_set_tile_size(mmp_encode_options* options, int width,
                                                       int height);
/* Of the macroblocks of a tile; of mmp_order. */
MMP_EXPORT mmp_status mmp_encode_options_set_order(mmp_encode_options* options, int order);
/* If not 0, the file has a preview: an eighth of the image's width and height, about a hundredth of
 * its bytes. Its depth is the image's, but 8 at least. */
MMP_EXPORT mmp_status mmp_encode_options_set_preview(mmp_encode_options* options, int preview);
/* Of the CPU, in [0, 1024]; 0: one a core. */
MMP_EXPORT mmp_status mmp_encode_options_set_threads(mmp_encode_options* options, int threads);
/* Of mmp_backend. */
MMP_EXPORT mmp_status mmp_encode_options_set_backend(mmp_encode_options* options, int backend);
/* Null: none. `context` is handed to it and must be valid while a call uses the options. */
MMP_EXPORT mmp_status mmp_encode_options_set_progress(mmp_encode_options* options,
                                                      mmp_progress_function progress,
                                                      void* context);

/* Encodes an image of width x height samples (each 1 to 65535) of 8 bits, whose row y begins at
 * samples + y * stride; `stride` is in bytes and at least `width`. `options` may be null: the
 * defaults. On success *file is the file, *size its bytes: give it back to mmp_free. The bytes
 * depend on neither threads nor backend. */
MMP_EXPORT mmp_status mmp_encode(const uint8_t* samples, int width, int height, size_t stride,
                                 const mmp_encode_options* options, uint8_t** file, size_t* size);
/* The same for samples of `depth` bits, 1 to 16, in two bytes each, in the byte order of the
 * machine: in [0, 2^depth - 1]. `stride` is in bytes, even, and at least 2 * width. */
MMP_EXPORT mmp_status mmp_encode16(const uint16_t* samples, int width, int height, size_t stride,
                                   int depth, const mmp_encode_options* options, uint8_t** file,
                                   size_t* size);

/* What a file is, before it is decoded */

/* No header is longer, its tile table left out. */
#define MMP_MAX_HEADER_BYTES 64

/* The size of the image, in pixels, from the first MMP_MAX_HEADER_BYTES of its file, or all if it
 * has fewer. Fails if these are not the beginning of a file of mmp's; checks no checksum. */
MMP_EXPORT mmp_status mmp_read_size(const void* beginning, size_t bytes, int* width, int* height);

/* The bits a sample, 1 to 16, from the same. */
MMP_EXPORT mmp_status mmp_read_depth(const void* beginning, size_t bytes, int* depth);

/* A chunk of metadata. What it points to lives as long as the object that it is of. */
typedef struct mmp_metadata {
  int kind; /* of mmp_metadata_kind, or of 1 to 255; 0: there is none */
  const uint8_t* bytes;
  size_t size;
} mmp_metadata;

/* Reads `count` bytes, at least one, of a file from `offset` on to `bytes`; `context` is what it
 * was handed in with. Returns 0 if it cannot, another number if it has. It must not leave by
 * longjmp. */
typedef int (*mmp_read_function)(uint64_t offset, void* bytes, size_t count, void* context);

typedef struct mmp_info mmp_info;

/* Reads a whole file's header and checks its bytes' checksums, but decodes nothing. Damage to what
 * small files (docs/format.md, "File") have behind their header is found by decoding only. */
MMP_EXPORT mmp_status mmp_info_read(const void* file, size_t bytes, mmp_info** info);
/* The same of a file of `size` bytes that is not in memory, by calls of `read` on the calling
 * thread. If `check_bytes` is 0, only header, metadata and tile table are read: damage behind them
 * is not noticed, but that tiles of several are missing; damage to a file of one tile is not at
 * all. Fails with MMP_IO if `read` does, and with MMP_LIMIT_EXCEEDED if header, metadata and table
 * take more than 1 GiB. */
MMP_EXPORT mmp_status mmp_info_read_from(mmp_read_function read, void* context, uint64_t size,
                                         int check_bytes, mmp_info** info);
MMP_EXPORT void mmp_info_free(mmp_info* info);

/* `info` must not be null. */
MMP_EXPORT int mmp_info_width(const mmp_info* info);  /* pixels */
MMP_EXPORT int mmp_info_height(const mmp_info* info); /* pixels */
MMP_EXPORT int mmp_info_depth(const mmp_info* info);  /* bits a sample, 1 to 16 */
MMP_EXPORT int mmp_info_format_version(const mmp_info* info);
MMP_EXPORT mmp_preset mmp_info_preset(const mmp_info* info);
MMP_EXPORT int mmp_info_is_lossless(const mmp_info* info); /* 1 or 0 */
MMP_EXPORT mmp_coder mmp_info_coder(const mmp_info* info); /* not MMP_CODER_AUTO */
/* Of MMP_CODER_PIXELS: no sample is off by more; else 0, which then says nothing. */
MMP_EXPORT int mmp_info_max_error(const mmp_info* info);
/* Of the preview, in the file; 0 if there is none. */
MMP_EXPORT size_t mmp_info_preview_bytes(const mmp_info* info);
/* Whether it is seen, without decoding it, that it cannot be decoded: 1 or 0. */
MMP_EXPORT int mmp_info_damaged_preview(const mmp_info* info);
/* Of the tiles, how many were a JPEG file and are coded by its coefficients; 0 if bytes were not
 * checked. */
MMP_EXPORT int mmp_info_jpeg_tiles(const mmp_info* info);
MMP_EXPORT size_t mmp_info_tile_count(const mmp_info* info);
MMP_EXPORT mmp_order mmp_info_order(const mmp_info* info); /* not MMP_ORDER_AUTO */
MMP_EXPORT int mmp_info_is_signed(const mmp_info* info);   /* 1 or 0 */
/* The undamaged metadata, and how many chunks are damaged. */
MMP_EXPORT size_t mmp_info_metadata_count(const mmp_info* info);
/* `index` is less than that count; of others all is 0. */
MMP_EXPORT mmp_metadata mmp_info_metadata(const mmp_info* info, size_t index);
MMP_EXPORT int mmp_info_damaged_metadata(const mmp_info* info);
/* Whether the dictionary file is needed that it was encoded with: 1 or 0. If so, and `hash` is not
 * null, *hash is that file's. */
MMP_EXPORT int mmp_info_needs_dictionary_file(const mmp_info* info, uint32_t* hash);

/* Decoding */

typedef struct mmp_decode_options mmp_decode_options;

/* The defaults. Null if there is no memory. */
MMP_EXPORT mmp_decode_options* mmp_decode_options_new(void);
MMP_EXPORT void mmp_decode_options_free(mmp_decode_options* options);

/* These fail if `options` is null. */

/* In [0, 1024]; 0: one a core. Checked by mmp_decode. */
MMP_EXPORT mmp_status mmp_decode_options_set_threads(mmp_decode_options* options, int threads);
/* Only these pixels are decoded, which must be the image's, or decoding fails with
 * MMP_INVALID_ARGUMENT, also for a region without pixels: they are the image that it makes. Of the
 * file no more is looked at than its header and table and the tiles that have any of them, to which
 * all limits then apply. */
MMP_EXPORT mmp_status mmp_decode_options_set_region(mmp_decode_options* options, int x, int y,
                                                    int width, int height);
/* The whole image, as by default. */
MMP_EXPORT mmp_status mmp_decode_options_clear_region(mmp_decode_options* options);
/* If not 0, the file's preview is decoded in place of its image, by looking at nothing else;
 * decoding fails with MMP_UNSUPPORTED if there is none, with MMP_INVALID_ARGUMENT if a region is
 * set, too. */
MMP_EXPORT mmp_status mmp_decode_options_set_preview(mmp_decode_options* options, int preview);
/* Larger images are refused (MMP_LIMIT_EXCEEDED) before memory is taken for them; 2^28 by default.
 */
MMP_EXPORT mmp_status mmp_decode_options_set_max_pixels(mmp_decode_options* options,
                                                        uint64_t pixels);
/* Gives up (MMP_LIMIT_EXCEEDED) when decoding takes more work than this, in units of a 25th of a
 * nanosecond or so of one core; by default ten times what the slowest files of the presets need,
 * linear in the bytes of the file and the pixels of the image. */
MMP_EXPORT mmp_status mmp_decode_options_set_max_work(mmp_decode_options* options, uint64_t work);
/* Takes no more bytes of memory than this, beside the file: works on fewer tiles at a time, or, if
 * there is not enough for one, refuses the file (MMP_LIMIT_EXCEEDED). By default 2^28, 16 a pixel
 * and 2^15 times the dictionary's size, or what one thread takes for the pixel coder where that is
 * more: enough for every file. */
MMP_EXPORT mmp_status mmp_decode_options_set_max_memory(mmp_decode_options* options,
                                                        uint64_t bytes);
/* The bytes of the dictionary file that the image was encoded with; as for encoding. */
MMP_EXPORT mmp_status mmp_decode_options_set_dictionary_file(mmp_decode_options* options,
                                                             const void* bytes, size_t size);
/* If not 0, damaged tiles are left gray (2^(depth - 1)) and listed in the image in place of
 * failing; bytes behind the last of several tiles are counted there. */
MMP_EXPORT mmp_status mmp_decode_options_set_keep_going(mmp_decode_options* options,
                                                        int keep_going);
/* Null: none. `context` is handed to it and must be valid while a call uses the options. */
MMP_EXPORT mmp_status mmp_decode_options_set_progress(mmp_decode_options* options,
                                                      mmp_progress_function progress,
                                                      void* context);

typedef struct mmp_image mmp_image;

/* Decodes a whole file. `options` may be null: the defaults. Give the image back to mmp_image_free.
 */
MMP_EXPORT mmp_status mmp_decode(const void* file, size_t bytes, const mmp_decode_options* options,
                                 mmp_image** image);

/* The same of a file of `size` bytes that is not in memory, by calls of `read` on the calling
 * thread: for its header and table and, neighbours together, the tiles that are needed. Fails with
 * MMP_IO if it does. */
MMP_EXPORT mmp_status mmp_decode_from(mmp_read_function read, void* context, uint64_t size,
                                      const mmp_decode_options* options, mmp_image** image);
/* mmp_decode to memory of the caller's, for width x height samples whose rows begin `stride` bytes
 * apart. Fails with MMP_INVALID_ARGUMENT if the image, or the region that is decoded, has another
 * size, or more than 8 bits a sample: see mmp_read_size and mmp_read_depth. Of each row `width`
 * samples are written, nothing of what is between rows. If it fails, nothing is written; with
 * keep_going, too, it does not fail for damaged tiles. */
MMP_EXPORT mmp_status mmp_decode_into(const void* file, size_t bytes,
                                      const mmp_decode_options* options, uint8_t* samples,
                                      int width, int height, size_t stride);
/* The same for samples of any depth, in two bytes each, not scaled; `stride` is even. */
MMP_EXPORT mmp_status mmp_decode16_into(const void* file, size_t bytes,
                                        const mmp_decode_options* options, uint16_t* samples,
                                        int width, int height, size_t stride);
MMP_EXPORT void mmp_image_free(mmp_image* image);

/* `image` must not be null. What they point to lives as long as the image. */
MMP_EXPORT int mmp_image_width(const mmp_image* image);  /* pixels */
MMP_EXPORT int mmp_image_height(const mmp_image* image); /* pixels */
MMP_EXPORT int mmp_image_depth(const mmp_image* image);  /* bits a sample, 1 to 16 */
/* The samples, row by row, rows adjacent. Null if they have more than 8 bits. */
MMP_EXPORT const uint8_t* mmp_image_samples(const mmp_image* image);
/* Samples of more than 8 bits, in the byte order of the machine. Null if they have no more. */
MMP_EXPORT const uint16_t* mmp_image_samples16(const mmp_image* image);

/* 1 if the samples stand for numbers that are less by 2^(depth - 1), else 0. */
MMP_EXPORT int mmp_image_is_signed(const mmp_image* image);
/* The undamaged metadata of the file, which are of the whole image also if a region is decoded, and
 * how many chunks are damaged: the image is whole. */
MMP_EXPORT size_t mmp_image_metadata_count(const mmp_image* image);
/* `index` is less than that count; of others all is 0. */
MMP_EXPORT mmp_metadata mmp_image_metadata(const mmp_image* image, size_t index);
MMP_EXPORT int mmp_image_damaged_metadata(const mmp_image* image);

/* A tile that could not be decoded. */
typedef struct mmp_damaged_tile {
  int x, y, width, height; /* pixels */
  const char* reason;
} mmp_damaged_tile;

/* 0 unless keep_going. */
MMP_EXPORT size_t mmp_image_damaged_tile_count(const mmp_image* image);
/* `index` is less than that count; of others all is 0, and the reason is "". */
MMP_EXPORT mmp_damaged_tile mmp_image_damaged_tile(const mmp_image* image, size_t index);
/* Of the bytes behind the last tile, which are no part of the file. 0 unless keep_going, and where
 * a region is decoded. */
MMP_EXPORT uint64_t mmp_image_trailing_bytes(const mmp_image* image);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MMP_MMP_C_H_ */
