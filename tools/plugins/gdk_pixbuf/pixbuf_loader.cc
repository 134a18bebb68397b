// The loader by which gdk-pixbuf, and so GTK and GNOME, opens files of mmp; docs/plugins.md is for
// its users.
//
// Bytes come in pieces. The header is looked at as soon as it is there, so that what is no such
// file, or an image too large, is refused early; the image is decoded when all bytes have come.
#define GDK_PIXBUF_ENABLE_BACKEND  // declares what loaders are made of
#include <gdk-pixbuf/gdk-pixbuf-io.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gmodule.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "mmp/mmp_c.h"

namespace {

using Image = std::unique_ptr<mmp_image, decltype(&mmp_image_free)>;
using Pixbuf = std::unique_ptr<GdkPixbuf, decltype(&g_object_unref)>;

// A file as it comes in.
struct Loading {
  GdkPixbufModuleSizeFunc tell_size;  // may be null in older versions, as tell_updated
  GdkPixbufModulePreparedFunc tell_prepared;
  GdkPixbufModuleUpdatedFunc tell_updated;
  gpointer user_data;
  std::vector<uint8_t> bytes;
  bool is_size_known = false;
  bool failed = false;
};

bool Fail(GError** error, GdkPixbufError code, const char* message) {
  g_set_error_literal(error, GDK_PIXBUF_ERROR, code, message);
  return false;
}

// Says why a function of mmp_c.h failed.
bool Fail(GError** error, mmp_status status) {
  switch (status) {
    case MMP_UNSUPPORTED:
      return Fail(error, GDK_PIXBUF_ERROR_UNKNOWN_TYPE, mmp_error_message());
    case MMP_CORRUPT:
      return Fail(error, GDK_PIXBUF_ERROR_CORRUPT_IMAGE, mmp_error_message());
    case MMP_OUT_OF_MEMORY:
    case MMP_LIMIT_EXCEEDED:
      return Fail(error, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY, mmp_error_message());
    default:
      return Fail(error, GDK_PIXBUF_ERROR_FAILED, mmp_error_message());
  }
}

// Runs `work`, which returns whether it succeeded and sets `error` if not. No exception leaves it.
template <typename Work>
bool Guarded(GError** error, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Fail(error, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY, "out of memory");
  } catch (const std::exception& exception) {
    return Fail(error, GDK_PIXBUF_ERROR_FAILED, exception.what());
  }
}

// Reads the size from the beginning of the file, and tells it to the caller, who may want no more.
bool ReadSize(Loading& loading, GError** error) {
  int width = 0;
  int height = 0;
  const size_t beginning = std::min<size_t>(loading.bytes.size(), MMP_MAX_HEADER_BYTES);
  const mmp_status status = mmp_read_size(loading.bytes.data(), beginning, &width, &height);
  if (status != MMP_OK) return Fail(error, status);
  loading.is_size_known = true;
  if (loading.tell_size != nullptr) loading.tell_size(&width, &height, loading.user_data);
  if (width > 0 && height > 0) return true;
  return Fail(error, GDK_PIXBUF_ERROR_FAILED, "the image is to be scaled to nothing");
}

// Each row of samples, scaled to 8 bits, as pixels of three equal bytes.
template <typename Sample>
void CopySamples(const Sample* samples, int depth, GdkPixbuf* pixbuf) {
  const size_t width = gdk_pixbuf_get_width(pixbuf);
  const size_t height = gdk_pixbuf_get_height(pixbuf);
  const size_t stride = gdk_pixbuf_get_rowstride(pixbuf);
  guchar* const pixels = gdk_pixbuf_get_pixels(pixbuf);
  const uint32_t white = (1U << depth) - 1;
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const uint32_t gray = (samples[y * width + x] * 255U + white / 2) / white;
      std::fill_n(pixels + y * stride + 3 * x, 3, static_cast<guchar>(gray));
    }
  }
}

// Null if there is not enough memory.
Pixbuf MakePixbuf(const mmp_image* image) {
  Pixbuf pixbuf(
      gdk_pixbuf_new(GDK_COLORSPACE_RGB, FALSE, 8, mmp_image_width(image), mmp_image_height(image)),
      g_object_unref);
  if (pixbuf == nullptr) return pixbuf;
  const int depth = mmp_image_depth(image);
  if (depth > 8) {
    CopySamples(mmp_image_samples16(image), depth, pixbuf.get());
  } else {
    CopySamples(mmp_image_samples(image), depth, pixbuf.get());
  }
  return pixbuf;
}

bool Decode(Loading& loading, GError** error) {
  if (!loading.is_size_known && !ReadSize(loading, error)) return false;
  mmp_image* decoded = nullptr;
  const mmp_status status =
      mmp_decode(loading.bytes.data(), loading.bytes.size(), nullptr, &decoded);
  if (status != MMP_OK) return Fail(error, status);
  const Image image(decoded, mmp_image_free);
  const Pixbuf pixbuf = MakePixbuf(image.get());
  if (pixbuf == nullptr) {
    return Fail(error, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY, "out of memory");
  }
  loading.tell_prepared(pixbuf.get(), nullptr, loading.user_data);
  if (loading.tell_updated != nullptr) {
    loading.tell_updated(pixbuf.get(), 0, 0, mmp_image_width(image.get()),
                         mmp_image_height(image.get()), loading.user_data);
  }
  return true;
}

// The functions of a loader. gdk-pixbuf calls the last one in any case, also after a failure.

gpointer BeginLoad(GdkPixbufModuleSizeFunc tell_size, GdkPixbufModulePreparedFunc tell_prepared,
                   GdkPixbufModuleUpdatedFunc tell_updated, gpointer user_data, GError** error) {
  auto* const loading =
      new (std::nothrow) Loading{tell_size, tell_prepared, tell_updated, user_data, {}};
  if (loading == nullptr) Fail(error, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY, "out of memory");
  return loading;
}

gboolean LoadIncrement(gpointer context, const guchar* bytes, guint size, GError** error) {
  auto& loading = *static_cast<Loading*>(context);
  if (loading.failed) return FALSE;
  const bool ok = Guarded(error, [&] {
    loading.bytes.insert(loading.bytes.end(), bytes, bytes + size);
    const bool has_header = loading.bytes.size() >= MMP_MAX_HEADER_BYTES;
    return loading.is_size_known || !has_header || ReadSize(loading, error);
  });
  loading.failed = !ok;
  return ok;
}

gboolean StopLoad(gpointer context, GError** error) {
  const std::unique_ptr<Loading> loading(static_cast<Loading*>(context));
  return !loading->failed && Guarded(error, [&] { return Decode(*loading, error); });
}

// gdk-pixbuf takes pointers to what it does not change, without const.
GdkPixbufModulePattern signature[] = {{const_cast<char*>("MMP "), const_cast<char*>("   n"), 100},
                                      {nullptr, nullptr, 0}};
char mime_type[] = "image/x-mmp";
char* mime_types[] = {mime_type, nullptr};
char extension[] = "mmp";
char* extensions[] = {extension, nullptr};

}  // namespace

extern "C" {

G_MODULE_EXPORT void fill_vtable(GdkPixbufModule* module) {
  module->begin_load = BeginLoad;
  module->load_increment = LoadIncrement;
  module->stop_load = StopLoad;
}

G_MODULE_EXPORT void fill_info(GdkPixbufFormat* info) {
  info->name = extension;
  info->signature = signature;
  info->description = const_cast<char*>("mmp grayscale image");
  info->mime_types = mime_types;
  info->extensions = extensions;
  info->flags = GDK_PIXBUF_FORMAT_THREADSAFE;
  info->license = const_cast<char*>("BSD");
}

}  // extern "C"
