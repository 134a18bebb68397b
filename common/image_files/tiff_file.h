// A TIFF file in memory, by libtiff, which says nothing on standard error and takes no more memory
// at a time than allowed.
#ifndef MMP_COMMON_IMAGE_FILES_TIFF_FILE_H_
#define MMP_COMMON_IMAGE_FILES_TIFF_FILE_H_

#include <tiffio.h>

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "mmp/status.h"

namespace mmp {

class TiffFile {
 public:
  // Opens the file at its first directory. No allocation of libtiff is larger than
  // `most_bytes_at_a_time`. Throws std::bad_alloc.
  TiffFile(std::span<const uint8_t> bytes, uint64_t most_bytes_at_a_time);
  TiffFile(const TiffFile&) = delete;  // libtiff points to what is in it
  TiffFile& operator=(const TiffFile&) = delete;

  bool is_open() const { return tiff_ != nullptr; }
  TIFF* get() const { return tiff_.get(); }
  // The first that libtiff said of something wrong, and of something odd, since the file was opened
  // or ForgetMessages() called; empty if it said nothing.
  const char* error() const { return user_.error; }
  const char* warning() const { return user_.warning; }
  void ForgetMessages() { user_.error[0] = user_.warning[0] = '\0'; }

  // A number that the directory has, or else its default; 0 if it has none either. Number: that
  // which libtiff has for the tag.
  template <typename Number>
  Number Field(uint32_t tag) const {
    Number number{};
    return TIFFGetFieldDefaulted(get(), tag, &number) != 0 ? number : Number{};
  }

  // kCorrupt, with libtiff's message, or `otherwise` if there is none. Throws std::bad_alloc if the
  // message is that there is no memory.
  Status Error(const std::string& name, const char* otherwise) const;

 private:
  struct Closer {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  // What libtiff's callbacks get.
  struct User {
    std::span<const uint8_t> bytes;
    uint64_t position = 0;
    char error[160] = "";
    char warning[160] = "";
  };

  static tmsize_t OnRead(thandle_t user, void* data, tmsize_t size);
  static toff_t OnSeek(thandle_t user, toff_t offset, int whence);
  static int OnError(TIFF* tiff, void* user, const char* module, const char* format,
                     va_list arguments);
  static int OnWarning(TIFF* tiff, void* user, const char* module, const char* format,
                       va_list arguments);

  User user_;
  std::unique_ptr<TIFF, Closer> tiff_;
};

}  // namespace mmp

#endif  // MMP_COMMON_IMAGE_FILES_TIFF_FILE_H_
