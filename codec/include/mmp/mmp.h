// mmp: a grayscale image codec (multidimensional multiscale parser with intra prediction).
//
// The public interface of the library. All functions may be called from several threads at once.
// Where memory runs out, of the machine or a device, they fail with kOutOfMemory; they throw
// nothing but what functions called back throw, of which std::bad_alloc counts as memory running
// out. There is an interface in C, too: mmp/mmp_c.h.
//
// What is written for this header compiles with those of all later versions that have the same
// major number. They may add fields to the structs, anywhere, and values to the enumerations: set
// fields by their names, as in {.lambda = 20}, and expect values that you do not know. After a
// change of the minor number a program must be compiled anew; a shared library then has another
// soname.
#ifndef MMP_MMP_H_
#define MMP_MMP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mmp/export.h"
#include "mmp/image.h"
#include "mmp/metadata.h"
#include "mmp/status.h"
#include "mmp/types.h"

namespace mmp {

inline constexpr int kVersionMajor = 1;
inline constexpr int kVersionMinor = 0;
inline constexpr int kVersionPatch = 0;

// Of EncodeOptions::effort: its range, and those of the presets.
inline constexpr int kLeastEffort = 1;
inline constexpr int kMostEffort = 9;
inline constexpr int kQuickEffort = 2;
inline constexpr int kFastEffort = 5;
inline constexpr int kBestEffort = 9;

// The version of the library that the program runs with, "1.0.0". Where that is a shared one, its
// patch number may be another than that of this header.
MMP_EXPORT std::string_view Version();

// The name used on the command line ("thesis", "quick", "fast", "best"; "auto", "cpu", "cuda";
// "auto", "raster", "wavefront"); "unknown" of a value that this version does not know, here and
// below.
MMP_EXPORT std::string_view PresetName(Preset preset);
MMP_EXPORT std::string_view BackendName(Backend backend);
MMP_EXPORT std::string_view OrderName(MacroblockOrder order);
// "auto", "patterns" or "pixels".
MMP_EXPORT std::string_view CoderName(Coder coder);

struct EncodeOptions {
  // Lagrangian multiplier in J = D + lambda R (D: sum of squared errors of samples scaled to [0,
  // 255], whatever their depth; R: bits); 0 is lossless. In [0, kMaxLambda]; used in steps of 1/256
  // for samples of 8 bits.
  double lambda = 10.0;
  // If set, no sample of the decoded image differs by more than this from the original; 0 is
  // lossless, as the file may be in any case where that is smaller. In [0, 2^depth - 1], in place
  // of lambda.
  std::optional<int> max_error = {};
  // kAuto takes patterns but where the file is to be lossless, bounded in error or of very high
  // quality: there the pixel coder, or whichever makes the smaller file. With preset kThesis, or if
  // any option from dictionary_size to dictionary_file or an order is given, it takes patterns
  // wherever they can do it.
  Coder coder = Coder::kAuto;
  // If false, an image of few gray levels, as text has, is also encoded at lambda 0, and the file
  // is the one of less J at the lambda above. Presets but kThesis only.
  bool exact_lambda = false;
  Preset preset = Preset::kBest;
  // How much is tried, from kLeastEffort, the fastest, to kMostEffort, of the smallest files; each
  // step takes about one and a half times as long as the one before. Not set: kQuickEffort,
  // kFastEffort or kBestEffort, as the preset is. If set, it takes the place of these presets: the
  // file is the same for all, and names kQuick up to effort 2, or kFast if it is lossless, kFast up
  // to 7, else kBest; if it is of pixels, kFast up to 5, else kBest. Not for kThesis, which tries
  // everything.
  std::optional<int> effort = {};
  // What is not set follows the effort.
  std::optional<int> dictionary_size = {};   // most patterns a level, in [69, 65536]
  std::optional<int> prediction_level = {};  // smallest level predicted, in [0, 25]; 25: no splits
  // Bit m allows prediction mode m, in [1, 2^31); mode 2 is always on.
  std::optional<uint32_t> modes = {};
  std::optional<uint32_t> tools = {};  // bits: docs/format.md, "File"; 1 follows dictionary_file
  // Bytes of a dictionary file to start with in place of the standard one; the decoder needs it
  // too.
  std::vector<uint8_t> dictionary_file = {};
  // Kept in the file as they are, and handed out by Decode and ReadInfo: at most kMaxMetadataChunks
  // chunks and kMaxMetadataBytes.
  Metadata metadata = {};
  // The samples stand for numbers that are less by 2^(depth - 1): int16 as uint16, 32768 added.
  // Says so in the file, and changes nothing else.
  bool is_signed = false;
  // Pixels; multiples of 16, or 0 for automatic: one tile up to 2^20 pixels; above, patterns code
  // as few equal tiles as have sides of at most 1024, and the pixel coder groups of rows.
  int tile_width = 0;
  int tile_height = 0;
  // Of the macroblocks of a tile. Wave fronts are coded, and decoded, by many threads or a device
  // at a time; preset kThesis has them only if they are asked for.
  MacroblockOrder order = MacroblockOrder::kAuto;
  // Put a preview into the file, an eighth of the image's width and height, of about a hundredth of
  // the bytes of a file at lambda 10 or 20. Its depth is the image's, but 8 at least.
  bool preview = false;
  int threads = 0;  // of the CPU, at most kMaxThreads; 0: one a core
  Backend backend = Backend::kAuto;
  // Take the time of each stage, for EncodeStats; costs some speed.
  bool time_stages = false;
  ProgressCallback progress = {};  // may be empty
};

// What an encode did, summed over tiles. If it tried lambda 0, too, about the try that the file is
// of; but `threads` and `seconds_total` of both.
struct EncodeStats {
  double lambda = 0;                // that the file was encoded at; 0 too if max_error was given
  Coder coder = Coder::kPatterns;   // of the file; what follows about patterns is 0 for kPixels
  int max_error = 0;                // that the file was bounded to
  int tries = 0;                    // encodes of which the file is the best
  Backend backend = Backend::kCpu;  // the one used
  std::string backend_note;         // why not the other, if it was asked for by kAuto
  int threads = 0;                  // that worked on it
  int tiles = 0;
  int64_t macroblocks = 0;
  // The exhaustive search: nodes of the prediction trees on every path, and those where each mode
  // is available. All were searched, known from an equal node, or proven not to win.
  int64_t nodes = 0;
  std::array<int64_t, kModes> mode_uses{};
  int64_t nodes_searched = 0;
  std::array<int64_t, kModes> mode_searches{};  // residual trees asked for
  // The number of these that were known from an equal residual; the CUDA search does not reuse any.
  std::array<int64_t, kModes> mode_reused{};
  std::array<int64_t, kModes> modes_chosen{};      // in the file
  std::array<int64_t, kLevels> leaves_by_level{};  // residual leaves in the file
  std::array<int64_t, kLevels> dictionary_size{};  // patterns at the end (of the largest tile)
  std::array<double, kLevels> index_bits_by_level{};
  int64_t blocks_matched = 0;     // residual blocks compared with the dictionary
  int64_t multiply_adds = 0;      // in these comparisons
  double partition_bits = 0;      // flags of prediction-tree nodes
  double residual_flag_bits = 0;  // flags below a prediction leaf
  double mode_bits = 0;
  double index_bits = 0;
  double block_vector_bits = 0;  // vectors
  double filter_bits = 0;
  double exact_block_bits = 0;  // which blocks are coded exactly among patterns, and their samples
  double pixel_bits = 0;        // all of the pixel coder's
  int64_t header_bytes = 0;     // header, metadata, checksums and preview
  // What decoding the file takes, as DecodeOptions::max_work counts it. Above DefaultMaxWork, for
  // large dictionaries or many small tiles, a decoder must be told to go so far.
  uint64_t decode_work = 0;
  uint64_t sum_squared_error = 0;  // of the decoded image
  // Seconds of thread time, by stage, if EncodeOptions::time_stages.
  double seconds_prediction = 0;
  double seconds_lsp = 0;
  double seconds_matching = 0;
  double seconds_trees = 0;
  double seconds_costs = 0;  // costs of symbols; for a device, all of a macroblock's input
  double seconds_dictionary = 0;
  double seconds_coding = 0;
  // From each macroblock's input to its result, by the device's events, if
  // EncodeOptions::time_stages: the sum of all tiles, which may be on the device at the same time.
  // (Of the stages above, those on a device are what a thread block's clock says.) 0 by the CPU.
  double seconds_device = 0;
  double seconds_total = 0;  // wall clock
};

// Encodes `image` (1x1 up to 65535x65535, 1 to 16 bits a sample). The bytes depend on the image and
// on lambda, max_error, coder, exact_lambda, preset, effort, dictionary_size, prediction_level,
// modes, tools, dictionary_file, order, tile size and preview only: not on threads, backend or
// machine. Errors: kInvalidArgument, kUnavailable (the backend), kOutOfMemory, kCancelled. `stats`
// may be null.
MMP_EXPORT Result<std::vector<uint8_t>> Encode(const ImageView& image, const EncodeOptions& options,
                                               EncodeStats* stats = nullptr);

struct EncodeJob {
  // The samples are needed until the job has ended.
  ImageView image = {};
  EncodeOptions options = {};  // but `threads`, which EncodeManyOptions gives
  // If set, called when the job's turn comes, for the image to encode in place of `image`. From any
  // of the working threads, for several jobs at once, but for no more than can be at work. It may
  // set this job's options.metadata and options.is_signed.
  std::function<Result<ImageView>()> load = {};
};

struct EncodeManyProgress {
  int total = 0;        // jobs
  int done = 0;         // that ended well,
  int failed = 0;       // did not,
  int running = 0;      // or have begun
  double fraction = 0;  // of the work, in [0, 1], if all jobs are the same
};

struct EncodeManyOptions {
  // Of the CPU, for jobs that it does and for the pixel coder, at most kMaxThreads; 0: one a core.
  // Else all jobs fail.
  int threads = 0;
  // Called now and then and after each job, from any of the working threads but never from two at
  // once. Returning false cancels all jobs that have not ended.
  std::function<bool(const EncodeManyProgress&)> progress = {};
};

// Called once for each job, as it ends, from any of the working threads, for several jobs at once.
// `stats` says something only if there is a file.
using EncodedCallback =
    std::function<void(size_t job, Result<std::vector<uint8_t>> file, const EncodeStats& stats)>;

// Encodes many images, to the bytes that Encode makes of each, the tiles of all jobs spread over
// the machine. Jobs with Backend::kAuto or kCuda come first, on its CUDA devices. One that has no
// memory for all the tiles it is given works on fewer at a time; one that fails, or has memory for
// none, is not used any more, and its tiles are done by the others. When no device is left, jobs
// with kCuda fail. Those with kAuto are left to the CPU, which does them and those with kCpu last.
// Each job's errors are those of Encode, and of its `load`; one that fails does not stop the rest.
// `done` must not be empty. If what is called back throws, all work stops, `done` is not called for
// the jobs that are left, and what it threw is thrown on; but std::bad_alloc fails jobs with
// kOutOfMemory.
MMP_EXPORT void EncodeMany(std::span<const EncodeJob> jobs, const EncodeManyOptions& options,
                           const EncodedCallback& done);

// The same, with results in the order of the jobs; also the statistics, if `stats` is not null.
// There are no results if there is no memory for them.
MMP_EXPORT std::vector<Result<std::vector<uint8_t>>> EncodeMany(
    std::span<const EncodeJob> jobs, const EncodeManyOptions& options = {},
    std::vector<EncodeStats>* stats = nullptr);

// What a decoder may take unless DecodeOptions say otherwise. Both are linear: the work, in units
// of a 25th of a nanosecond or so of one core, in the bytes of the file and the pixels of the
// image; the memory, in bytes, in the pixels and the patterns a level. The work is ten times what
// the slowest files of the presets need (docs/performance.md), the memory enough for every file on
// one thread. The work of the pixel coder's files is that of their pixels, whatever their bytes: it
// has no limit of its own by default; and their memory may always be that of one thread, which is
// more than DefaultMaxMemory where rows are very long (350 MB at most for one of 65535 pixels).
MMP_EXPORT uint64_t DefaultMaxWork(uint64_t file_bytes, uint64_t pixels);
MMP_EXPORT uint64_t DefaultMaxMemory(uint64_t pixels, int dictionary_size);

struct DecodeOptions {
  int threads = 0;  // at most kMaxThreads; 0: one a core
  // Decode these pixels alone, which must be the image's (else kInvalidArgument): the result is an
  // image of their size. Of the file no more is looked at than its header and table and the tiles
  // that have any of them, and all limits are of these tiles as if they were an image: damage to
  // others does not show. Not set: the whole image.
  std::optional<Region> region = {};
  // Decode the file's preview in place of its image, and look at no more of the file than header
  // and preview. kUnsupported if it has none, kInvalidArgument with a region.
  bool preview = false;
  // Refuse larger images (kLimitExceeded), before any memory is taken for them.
  uint64_t max_pixels = uint64_t{1} << 28;
  // Give up (kLimitExceeded) when decoding takes more work than this, that of all tiles taken
  // together; the same on every machine, with any number of threads. Not set: DefaultMaxWork, which
  // only files with larger dictionaries than the presets have or with many small tiles exceed
  // (EncodeStats::decode_work), and files made to waste time.
  std::optional<uint64_t> max_work = {};
  // Take no more bytes of memory than this, beside the file itself: work on fewer tiles at a time,
  // or, if there is not enough for one, refuse the file (kLimitExceeded) before any is taken. Of a
  // ByteSource no more bytes than this are read. Not set: DefaultMaxMemory.
  std::optional<uint64_t> max_memory = {};
  // The dictionary file that the image was encoded with, if one was given then.
  std::vector<uint8_t> dictionary_file = {};
  // If true, damaged tiles are left gray (2^(depth - 1)) and listed in the result in place of
  // failing; bytes behind the last of several tiles are counted there.
  bool keep_going = false;
  ProgressCallback progress = {};  // may be empty
};

struct DamagedTile {
  int x = 0, y = 0, width = 0,
      height = 0;  // pixels, of the whole image also if a region is decoded
  std::string reason;
};

struct DecodedImage {
  Image image;
  bool is_signed = false;    // see EncodeOptions
  Metadata metadata;         // those undamaged, of the whole image also if a region is decoded
  int damaged_metadata = 0;  // chunks left out: damage to them leaves the image as it is
  std::vector<DamagedTile> damaged_tiles;  // empty unless keep_going
  uint64_t trailing_bytes = 0;  // behind the last tile, which are no part of the file; 0 unless
                                // keep_going, and where a region is decoded
};

// Decodes a whole file. Succeeds only if every tile's reconstruction has the checksum that the
// encoder computed (with keep_going: damaged tiles are listed).
// Errors: kCorrupt, kUnsupported, kLimitExceeded, kOutOfMemory, kInvalidArgument, kCancelled.
MMP_EXPORT Result<DecodedImage> Decode(std::span<const uint8_t> file,
                                       const DecodeOptions& options = {});

// A file that is read where its bytes are needed: on a disk, in an archive, far away.
struct ByteSource {
  uint64_t size = 0;  // bytes
  // Fills `bytes`, at least one, with those of the file from `offset` on, all within `size`. Called
  // by the thread that calls DecodeFrom, a few times, before decoding begins; neighbouring tiles
  // are read together. ReadInfoFrom reads in order, at most 1 MiB of tiles at a time; of file and
  // preview the first kMaxHeaderBytes twice. What it fails with, they fail with.
  std::function<Status(uint64_t offset, std::span<uint8_t> bytes)> read = {};  // not empty
};

// The same of a file that is not in memory: header, table and the tiles that are needed are read,
// each byte once, but for the first kMaxHeaderBytes.
MMP_EXPORT Result<DecodedImage> DecodeFrom(const ByteSource& source,
                                           const DecodeOptions& options = {});

// What the header of a file says.
struct FileInfo {
  int format_version = 0;
  int width = 0, height = 0;  // pixels
  int depth = 0;              // bits a sample
  Coder coder = Coder::kPatterns;
  int max_error = 0;  // kPixels: no sample is off by more
  Preset preset = Preset::kBest;
  // Of kPatterns, from here to has_trained_patterns.
  int dictionary_size = 0;
  int prediction_level = 0;
  uint32_t modes = 0;
  uint32_t redundancy_threshold =
      0;               // a new pattern whose SSE to an old one is at most this is dropped
  uint32_t tools = 0;  // bits as in docs/format.md, "File"
  bool has_trained_patterns = false;
  std::optional<uint32_t> dictionary_hash;  // of the dictionary file that is needed to decode it
  bool lossless = false;
  int tile_width = 0, tile_height = 0;
  MacroblockOrder order = MacroblockOrder::kRaster;  // not kAuto
  uint64_t file_bytes = 0, header_bytes = 0;         // header_bytes: header, table and checksums
  // Of a checksum: 32, or 16 of a small file (docs/format.md, "File"), whose one checksum is of its
  // bytes and its decoded samples together.
  int check_bits = 32;
  uint64_t preview_bytes = 0;  // 0: there is no preview
  // No preview can be decoded: its header is another's, or its checksum does not match, which that
  // of a small preview is not compared for. The image is as it was. Known with
  // InfoOptions::check_bytes only.
  bool damaged_preview = false;
  // Of the tiles, how many were a JPEG file and are coded by its coefficients. Known with
  // InfoOptions::check_bytes only.
  int jpeg_tiles = 0;
  bool is_signed = false;    // see EncodeOptions
  Metadata metadata;         // those undamaged
  int damaged_metadata = 0;  // chunks left out
  std::vector<TileInfo> tiles;
};

struct InfoOptions {
  // Compare every tile's byte checksum, and the preview's: all of the file is read. If not, header,
  // metadata and tile table are, and damage behind them is not noticed, but that tiles of several
  // are missing; of a file of one tile all has one checksum, so that no damage is.
  bool check_bytes = true;
  // Of a ByteSource: bytes that header, metadata and tile table may take in memory, 256 a tile.
  uint64_t max_memory = uint64_t{1} << 30;
};

// Reads the header and checks bytes as the options say, but decodes nothing. Damage to the bytes of
// a small file (check_bits is 16) is found by Decode only.
// Errors: kCorrupt, kUnsupported, kOutOfMemory.
MMP_EXPORT Result<FileInfo> ReadInfo(std::span<const uint8_t> file,
                                     const InfoOptions& options = {});

// The same of a file that is not in memory, and of which no more is kept there than its header,
// metadata and tile table. Errors: kLimitExceeded, kInvalidArgument; the source's, too.
MMP_EXPORT Result<FileInfo> ReadInfoFrom(const ByteSource& source, const InfoOptions& options = {});

struct ImageSize {
  int width = 0, height = 0;  // pixels
  int depth = 0;              // bits a sample
  bool is_signed = false;     // see EncodeOptions
  size_t metadata_end = 0;    // bytes up to the end of the metadata; 0 if there are none
};

inline constexpr size_t kMaxHeaderBytes = 64;  // no header is longer, its tile table left out

// Size and depth of the image, from its file's first kMaxHeaderBytes bytes, or all if it has fewer.
// Fails if these are not the header of an mmp file, but checks no checksum.
MMP_EXPORT Result<ImageSize> ReadSize(std::span<const uint8_t> beginning);

// The undamaged metadata of a file, from its first ImageSize::metadata_end bytes.
MMP_EXPORT Result<Metadata> ReadMetadata(std::span<const uint8_t> beginning);

}  // namespace mmp

#endif  // MMP_MMP_H_
