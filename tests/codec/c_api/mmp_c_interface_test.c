/* What the interface in C has been since 1.0: compiles and links only while every function keeps
 * its type, every constant its number and every struct its layout. Programs and other languages'
 * bindings were made for these: nothing here is changed or taken out, new functions and values are
 * added. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "mmp/mmp_c.h"

#define CONSTANT(name, number) _Static_assert((name) == (number), #name)
#define FIELD(type, field, after) _Static_assert(offsetof(type, field) == (after), #type "." #field)
/* Has the compiler compare the types, and the linker find it. */
#define FUNCTION(result, name, parameters)           \
  do {                                               \
    result(*const volatile found) parameters = name; \
    if (found != NULL) ++functions;                  \
  } while (0)

CONSTANT(MMP_MAX_HEADER_BYTES, 64);

CONSTANT(MMP_OK, 0);
CONSTANT(MMP_INVALID_ARGUMENT, 1);
CONSTANT(MMP_UNSUPPORTED, 2);
CONSTANT(MMP_CORRUPT, 3);
CONSTANT(MMP_LIMIT_EXCEEDED, 4);
CONSTANT(MMP_IO, 5);
CONSTANT(MMP_UNAVAILABLE, 6);
CONSTANT(MMP_OUT_OF_MEMORY, 7);
CONSTANT(MMP_CANCELLED, 8);
CONSTANT(MMP_INTERNAL_ERROR, 9);
_Static_assert(sizeof(mmp_status) == sizeof(int), "mmp_status");

CONSTANT(MMP_PRESET_THESIS, 0);
CONSTANT(MMP_PRESET_FAST, 1);
CONSTANT(MMP_PRESET_BEST, 2);
_Static_assert(sizeof(mmp_preset) == sizeof(int), "mmp_preset");

CONSTANT(MMP_BACKEND_AUTO, 0);
CONSTANT(MMP_BACKEND_CPU, 1);
CONSTANT(MMP_BACKEND_CUDA, 2);
_Static_assert(sizeof(mmp_backend) == sizeof(int), "mmp_backend");

CONSTANT(MMP_ORDER_AUTO, 0);
CONSTANT(MMP_ORDER_RASTER, 1);
CONSTANT(MMP_ORDER_WAVEFRONT, 2);
_Static_assert(sizeof(mmp_order) == sizeof(int), "mmp_order");

CONSTANT(MMP_CODER_AUTO, 0);
CONSTANT(MMP_CODER_PATTERNS, 1);
CONSTANT(MMP_CODER_PIXELS, 2);
_Static_assert(sizeof(mmp_coder) == sizeof(int), "mmp_coder");

CONSTANT(MMP_METADATA_ICC_PROFILE, 1);
CONSTANT(MMP_METADATA_EXIF, 2);
CONSTANT(MMP_METADATA_XMP, 3);
CONSTANT(MMP_METADATA_RESOLUTION, 4);
CONSTANT(MMP_METADATA_TEXT, 5);
CONSTANT(MMP_METADATA_GEOTIFF, 6);
CONSTANT(MMP_METADATA_OME_XML, 7);
_Static_assert(sizeof(mmp_metadata_kind) == sizeof(int), "mmp_metadata_kind");

/* They are returned by value. */
enum { kPointer = sizeof(void*), kInt = sizeof(int) };

FIELD(mmp_metadata, kind, 0);
FIELD(mmp_metadata, bytes, kPointer);
FIELD(mmp_metadata, size, 2 * kPointer);
_Static_assert(sizeof(mmp_metadata) == 3 * kPointer, "mmp_metadata");
FIELD(mmp_damaged_tile, x, 0);
FIELD(mmp_damaged_tile, y, kInt);
FIELD(mmp_damaged_tile, width, 2 * kInt);
FIELD(mmp_damaged_tile, height, 3 * kInt);
FIELD(mmp_damaged_tile, reason, 4 * kInt);
_Static_assert(sizeof(mmp_damaged_tile) == 4 * kInt + kPointer, "mmp_damaged_tile");

static int OnProgress(double done, void* context) { return done >= 0 && context == NULL; }
static int Read(uint64_t offset, void* bytes, size_t count, void* context) {
  return offset == 0 && count == 0 && bytes == context;
}

int main(void) {
  const mmp_progress_function progress = OnProgress;
  const mmp_read_function read = Read;
  int functions = 0;
  FUNCTION(const char*, mmp_version, (void));
  FUNCTION(const char*, mmp_status_text, (int));
  FUNCTION(const char*, mmp_error_message, (void));
  FUNCTION(void, mmp_free, (void*));
  FUNCTION(mmp_encode_options*, mmp_encode_options_new, (void));
  FUNCTION(void, mmp_encode_options_free, (mmp_encode_options*));
  FUNCTION(mmp_status, mmp_encode_options_set_lambda, (mmp_encode_options*, double));
  FUNCTION(mmp_status, mmp_encode_options_set_exact_lambda, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_max_error, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_coder, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_preset, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_effort, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_dictionary_size, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_prediction_level, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_modes, (mmp_encode_options*, uint32_t));
  FUNCTION(mmp_status, mmp_encode_options_set_tools, (mmp_encode_options*, uint32_t));
  FUNCTION(mmp_status, mmp_encode_options_set_dictionary_file,
           (mmp_encode_options*, const void*, size_t));
  FUNCTION(mmp_status, mmp_encode_options_add_metadata,
           (mmp_encode_options*, int, const void*, size_t));
  FUNCTION(mmp_status, mmp_encode_options_clear_metadata, (mmp_encode_options*));
  FUNCTION(mmp_status, mmp_encode_options_set_signed, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_tile_size, (mmp_encode_options*, int, int));
  FUNCTION(mmp_status, mmp_encode_options_set_order, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_preview, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_threads, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_backend, (mmp_encode_options*, int));
  FUNCTION(mmp_status, mmp_encode_options_set_progress,
           (mmp_encode_options*, mmp_progress_function, void*));
  FUNCTION(mmp_status, mmp_encode,
           (const uint8_t*, int, int, size_t, const mmp_encode_options*, uint8_t**, size_t*));
  FUNCTION(mmp_status, mmp_encode16,
           (const uint16_t*, int, int, size_t, int, const mmp_encode_options*, uint8_t**, size_t*));
  FUNCTION(mmp_status, mmp_read_size, (const void*, size_t, int*, int*));
  FUNCTION(mmp_status, mmp_read_depth, (const void*, size_t, int*));
  FUNCTION(mmp_status, mmp_info_read, (const void*, size_t, mmp_info**));
  FUNCTION(mmp_status, mmp_info_read_from, (mmp_read_function, void*, uint64_t, int, mmp_info**));
  FUNCTION(void, mmp_info_free, (mmp_info*));
  FUNCTION(int, mmp_info_width, (const mmp_info*));
  FUNCTION(int, mmp_info_height, (const mmp_info*));
  FUNCTION(int, mmp_info_depth, (const mmp_info*));
  FUNCTION(int, mmp_info_format_version, (const mmp_info*));
  FUNCTION(mmp_preset, mmp_info_preset, (const mmp_info*));
  FUNCTION(int, mmp_info_is_lossless, (const mmp_info*));
  FUNCTION(mmp_coder, mmp_info_coder, (const mmp_info*));
  FUNCTION(int, mmp_info_max_error, (const mmp_info*));
  FUNCTION(size_t, mmp_info_preview_bytes, (const mmp_info*));
  FUNCTION(int, mmp_info_damaged_preview, (const mmp_info*));
  FUNCTION(int, mmp_info_jpeg_tiles, (const mmp_info*));
  FUNCTION(size_t, mmp_info_tile_count, (const mmp_info*));
  FUNCTION(mmp_order, mmp_info_order, (const mmp_info*));
  FUNCTION(int, mmp_info_is_signed, (const mmp_info*));
  FUNCTION(size_t, mmp_info_metadata_count, (const mmp_info*));
  FUNCTION(mmp_metadata, mmp_info_metadata, (const mmp_info*, size_t));
  FUNCTION(int, mmp_info_damaged_metadata, (const mmp_info*));
  FUNCTION(int, mmp_info_needs_dictionary_file, (const mmp_info*, uint32_t*));
  FUNCTION(mmp_decode_options*, mmp_decode_options_new, (void));
  FUNCTION(void, mmp_decode_options_free, (mmp_decode_options*));
  FUNCTION(mmp_status, mmp_decode_options_set_threads, (mmp_decode_options*, int));
  FUNCTION(mmp_status, mmp_decode_options_set_region, (mmp_decode_options*, int, int, int, int));
  FUNCTION(mmp_status, mmp_decode_options_clear_region, (mmp_decode_options*));
  FUNCTION(mmp_status, mmp_decode_options_set_preview, (mmp_decode_options*, int));
  FUNCTION(mmp_status, mmp_decode_options_set_max_pixels, (mmp_decode_options*, uint64_t));
  FUNCTION(mmp_status, mmp_decode_options_set_max_work, (mmp_decode_options*, uint64_t));
  FUNCTION(mmp_status, mmp_decode_options_set_max_memory, (mmp_decode_options*, uint64_t));
  FUNCTION(mmp_status, mmp_decode_options_set_dictionary_file,
           (mmp_decode_options*, const void*, size_t));
  FUNCTION(mmp_status, mmp_decode_options_set_keep_going, (mmp_decode_options*, int));
  FUNCTION(mmp_status, mmp_decode_options_set_progress,
           (mmp_decode_options*, mmp_progress_function, void*));
  FUNCTION(mmp_status, mmp_decode, (const void*, size_t, const mmp_decode_options*, mmp_image**));
  FUNCTION(mmp_status, mmp_decode_from,
           (mmp_read_function, void*, uint64_t, const mmp_decode_options*, mmp_image**));
  FUNCTION(mmp_status, mmp_decode_into,
           (const void*, size_t, const mmp_decode_options*, uint8_t*, int, int, size_t));
  FUNCTION(mmp_status, mmp_decode16_into,
           (const void*, size_t, const mmp_decode_options*, uint16_t*, int, int, size_t));
  FUNCTION(void, mmp_image_free, (mmp_image*));
  FUNCTION(int, mmp_image_width, (const mmp_image*));
  FUNCTION(int, mmp_image_height, (const mmp_image*));
  FUNCTION(int, mmp_image_depth, (const mmp_image*));
  FUNCTION(const uint8_t*, mmp_image_samples, (const mmp_image*));
  FUNCTION(const uint16_t*, mmp_image_samples16, (const mmp_image*));
  FUNCTION(int, mmp_image_is_signed, (const mmp_image*));
  FUNCTION(size_t, mmp_image_metadata_count, (const mmp_image*));
  FUNCTION(mmp_metadata, mmp_image_metadata, (const mmp_image*, size_t));
  FUNCTION(int, mmp_image_damaged_metadata, (const mmp_image*));
  FUNCTION(size_t, mmp_image_damaged_tile_count, (const mmp_image*));
  FUNCTION(mmp_damaged_tile, mmp_image_damaged_tile, (const mmp_image*, size_t));
  FUNCTION(uint64_t, mmp_image_trailing_bytes, (const mmp_image*));
  if (functions != 80 || !progress(0, NULL) || !read(0, NULL, 0, NULL)) return 1;
  printf("%d functions\n", functions);
  return 0;
}
