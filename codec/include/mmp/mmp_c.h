/* mmp in C (C99 and later): encodes and decodes grayscale images in memory.
 *
 * The functions do what those of mmp/mmp.h do, which says more of what the options mean, and make
 * and read the same files.
 *
 * Errors: functions that can fail return MMP_OK or why they failed; mmp_error_message() then says
 * it in words. No C++ exception leaves them. If one fails, what its last arguments point to is set
 * to null and 0.
 *
 * Ownership: what a function makes belongs to the caller, who gives it back to the free function of
 * its kind; all of these take null, too. What is handed in stays the caller's and is used during
 * the call only; options keep copies.
 *
 * Threads: all functions may be called from several threads at once. An object of options may be
 * used by several calls at once while nothing is set in it.
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
#define MMP_VERSION_MAJOR 0
#define MMP_VERSION_MINOR 1
#define MMP_VERSION_PATCH 0

/* The version of the library that the program runs with, "0.1.0". */
MMP_EXPORT const char* mmp_version(void);

/* Status. Later versions may have more values. */

typedef enum mmp_status {
  MMP_OK = 0,
  MMP_INVALID_ARGUMENT = 1, /* an option or a call is wrong */
  MMP_UNSUPPORTED = 2,      /* no file of mmp, or not one that can be read so */
  MMP_CORRUPT = 3,          /* the file is damaged */
  MMP_LIMIT_EXCEEDED = 4,   /* see mmp_decode_options_set_max_pixels, ..._work, ..._memory */
  MMP_IO = 5,               /* not returned at present: nothing here reads or writes files */
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
  MMP_PRESET_BEST = 2    /* all tools that pay */
} mmp_preset;

typedef enum mmp_backend {
  MMP_BACKEND_AUTO = 0, /* CUDA if the program has enabled it (mmp/mmp_cuda.h), else the CPU */
  MMP_BACKEND_CPU = 1,
  MMP_BACKEND_CUDA = 2
} mmp_backend;

typedef enum mmp_order {
  MMP_ORDER_AUTO =
      0, /* as the preset and the image are: wave fronts, but for drawings and thesis */
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
/* These four take the place of what the preset has. */
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
/* Pixels: multiples of 16, or both 0: one tile up to 2^20 pixels, 1024x1024 above. */
MMP_EXPORT mmp_status mmp_encode_options_set_tile_size(mmp_encode_options* options, int width,
                                                       int height);
/* Of the macroblocks of a tile; of mmp_order. */
MMP_EXPORT mmp_status mmp_encode_options_set_order(mmp_encode_options* options, int order);
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

typedef struct mmp_info mmp_info;

/* Reads a whole file's header and checks its bytes' checksums, but decodes nothing. Damage to what
 * small files (docs/format.md, "File") have behind their header is found by decoding only. */
MMP_EXPORT mmp_status mmp_info_read(const void* file, size_t bytes, mmp_info** info);
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
MMP_EXPORT size_t mmp_info_tile_count(const mmp_info* info);
MMP_EXPORT mmp_order mmp_info_order(const mmp_info* info); /* not MMP_ORDER_AUTO */
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
 * and 2^15 times the dictionary's size, which is enough for every file. */
MMP_EXPORT mmp_status mmp_decode_options_set_max_memory(mmp_decode_options* options,
                                                        uint64_t bytes);
/* The bytes of the dictionary file that the image was encoded with; as for encoding. */
MMP_EXPORT mmp_status mmp_decode_options_set_dictionary_file(mmp_decode_options* options,
                                                             const void* bytes, size_t size);
/* If not 0, damaged tiles are left gray (2^(depth - 1)) and listed in the image in place of
 * failing. */
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
/* The same, to memory of the caller's, for width x height samples whose rows begin `stride` bytes
 * apart. Fails with MMP_INVALID_ARGUMENT if the file's image has another size, or more than 8 bits
 * a sample: see mmp_read_size and mmp_read_depth. If it fails, nothing is written; with keep_going,
 * too, it does not fail for damaged tiles. */
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

/* A tile that could not be decoded. */
typedef struct mmp_damaged_tile {
  int x, y, width, height; /* pixels */
  const char* reason;
} mmp_damaged_tile;

/* 0 unless keep_going. */
MMP_EXPORT size_t mmp_image_damaged_tile_count(const mmp_image* image);
/* `index` is less than that count; of others all is 0, and the reason is "". */
MMP_EXPORT mmp_damaged_tile mmp_image_damaged_tile(const mmp_image* image, size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* MMP_MMP_C_H_ */
