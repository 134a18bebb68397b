// The syntax of a tile, front by front: see MacroblockCoder. What the symbols say is reconstructed
// after it, or beside it. Normative: docs/format.md, "Tiles".
#ifndef MMP_CODEC_TILE_FRONT_CODER_H_
#define MMP_CODEC_TILE_FRONT_CODER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/base/decode_work.h"
#include "codec/base/levels.h"
#include "codec/base/macroblock_order.h"
#include "codec/intra/block_copy.h"
#include "codec/postfilter/filter_blocks.h"
#include "codec/postfilter/tile_filter.h"
#include "codec/tile/assemble_residual.h"
#include "codec/tile/coded_front.h"
#include "codec/tile/filter_coder.h"
#include "codec/tile/macroblock_coder.h"
#include "codec/tile/substreams.h"
#include "codec/tile/tile_observer.h"
#include "codec/tile/tile_state.h"
#include "common/task_pool.h"

namespace mmp {

// Port: that of a MacroblockCoder, and `int BlockVectorCount()`, `int BlockVectorClass(axis)` and
// `int BlockVectorBits(count)` code one symbol of the front's block vectors, `int Filter(element,
// allowed)` and `int FilterBits(count)` one of the tile's filter, and update its model, if it has
// one; `ExactBlocks CodedExactBlocks()` codes those of the tile. Observer: has the functions of
// NullObserver, and is told of the block vectors and of the tile's filter, too; not of blocks.
template <typename Port, typename Observer = NullObserver>
class FrontCoder {
 public:
  FrontCoder(TileState& tile, Port& port, Observer& observer)
      : tile_(tile), port_(port), observer_(observer) {}

  // A front is coded in three steps, each of which the one before hands out: what was not done, or
  // was done twice, does not compile or is warned of.
  class [[nodiscard]] Coded {
   public:
    Coded(Coded&& other) noexcept : coder_(std::exchange(other.coder_, nullptr)) {}
    // Enters what was coded into the tile's dictionary, models and block vectors. The pool shares
    // the work. goes_on(work), if there is one, is asked now and then whether the tile, which has
    // taken so much by then, is coded further; if not, nothing more may be coded. before_models(),
    // if there is one, is called when all but the models has learnt: until it returns, symbols may
    // be coded by these.
    void Learn(TaskPool& pool = TaskPool::Alone(),
               const std::function<bool(uint64_t work)>& goes_on = {},
               const std::function<void()>& before_models = {}) && {
      std::exchange(coder_, nullptr)->Learn(pool, goes_on, before_models);
    }
    // A bound on the work of that.
    uint64_t MostWork() const {
      return coder_->tile_.dictionary.MostInsertionWork(coder_->concatenations_.size());
    }

   private:
    friend class FrontCoder;
    explicit Coded(FrontCoder& coder) : coder_(&coder) {}
    FrontCoder* coder_;  // null once it has been used
  };
  class [[nodiscard]] Begun {
   public:
    Begun(Begun&& other) noexcept : coder_(std::exchange(other.coder_, nullptr)) {}
    // Codes the blocks of its macroblocks; `front` becomes what they say. Calls begin(place) before
    // each macroblock; if that returns false, ends there and returns nothing. The pool shares what
    // comes after the last symbol.
    template <typename Begin>
    std::optional<Coded> Code(CodedFront& front, Begin begin,
                              TaskPool& pool = TaskPool::Alone()) && {
      FrontCoder* coder = std::exchange(coder_, nullptr);
      if (!coder->CodeInOrder(front, begin)) return std::nullopt;
      coder->Assemble(front, pool);
      return Coded(*coder);
    }
    // The same, macroblock beside macroblock, each by a port of its own: port_of(i) is that of
    // macroblock i. Members of the pool call begin(n, member) before each, once for each n: it
    // returns the number of the one to code, or nothing. Both may be called by several threads.
    template <typename Begin, typename PortOf>
    std::optional<Coded> CodeBeside(CodedFront& front, Begin begin, PortOf port_of,
                                    TaskPool& pool) && {
      FrontCoder* coder = std::exchange(coder_, nullptr);
      if (!coder->CodeSideBySide(front, begin, port_of, pool)) return std::nullopt;
      coder->Assemble(front, pool);
      return Coded(*coder);
    }

    // The same, substream beside substream: ports[k] is that of substream k. Calls begin(i, port)
    // before macroblock i, which are those of a substream in order; if that returns false, ends
    // there, in this substream. An observer is told of all in coding order.
    template <typename Begin>
    std::optional<Coded> CodeBySubstreams(CodedFront& front, Begin begin, std::span<Port> ports,
                                          TaskPool& pool) && {
      FrontCoder* coder = std::exchange(coder_, nullptr);
      if (!coder->CodeSubstreams(front, begin, ports, pool)) return std::nullopt;
      coder->Assemble(front, pool);
      return Coded(*coder);
    }

   private:
    friend class FrontCoder;
    explicit Begun(FrontCoder& coder) : coder_(&coder) {}
    FrontCoder* coder_;  // null once it has been used
  };

  // Begins a front: codes the block vectors that are new for it. `places` must last until it is
  // coded.
  Begun Begin(std::span<const MacroblockPlace> places) {
    places_ = places;
    concatenations_.Clear();
    block_copies_used_ = 0;
    if (tile_.parameters.UsesBlockCopy()) CodeBlockVectors();
    return Begun(*this);
  }

  // Codes how the tile is filtered, and its exact blocks: what its stream begins with, though an
  // encoder knows it last.
  FilterChoice CodeFilter() {
    const bool may_be_exact = tile_.parameters.Uses(kExactBlocks);
    if (!tile_.parameters.HasFilter() && !may_be_exact) return {};
    FilterChoice choice =
        CodeFilterChoice(port_, tile_.parameters, FilterBlocks(tile_.width, tile_.height));
    observer_.OnFilter(choice);
    if (may_be_exact && port_.Filter(kHasExactBlocks, AllFilterSymbols(kHasExactBlocks)) != 0) {
      tile_.work += kExactTileWork + kExactPixelWork * tile_.plane.size();
      choice.exact_blocks = port_.CodedExactBlocks();
      observer_.OnExactBlocks(choice.exact_blocks);
    }
    if (choice.network.level > 0) {
      for (const NetworkKind kind : choice.network.networks)
        tile_.work += NetworkWork(kind) * tile_.plane.size();
    }
    if (choice.wiener.strength > 0) tile_.work += kFilterWork * tile_.plane.size();
    if (!choice.wiener.corrections.sets.empty()) tile_.work += kCorrectionsWork;
    if (choice.jpeg_lattice.is_used) tile_.work += kJpegLatticeWork * tile_.plane.size();
    if (choice.level_maps.kind > 0) tile_.work += kLevelMapsWork * tile_.plane.size();
    return choice;
  }

 private:
  // A pixel.
  static uint64_t NetworkWork(NetworkKind kind) {
    if (IsSmall(kind)) return kSmallNetworkWork;
    return kind == NetworkKind::kLarge ? kLargeNetworkWork : kDeepNetworkWork;
  }

  void CodeBlockVectors() {
    for (int count = port_.BlockVectorCount(); count > 0; --count) {
      const int32_t up = BlockVectorComponent(0), across = BlockVectorComponent(1);
      tile_.block_vectors.Add({-up, across});
    }
    observer_.OnBlockVectors(tile_.block_vectors);
  }

  template <typename Begin>
  bool CodeInOrder(CodedFront& front, Begin begin) {
    front.Clear(tile_.block_vectors);
    for (const MacroblockPlace place : places_) {
      if (!begin(place)) return false;
      MacroblockCoder macroblock(tile_, port_, observer_, front.Add(place));
      macroblock.Code();
      tile_.work += macroblock.work();
      block_copies_used_ |= macroblock.block_copies_used();
    }
    return true;
  }

  // What macroblocks that are coded by several threads add up to.
  struct Sums {
    std::atomic<uint64_t> work{0};
    std::atomic<uint32_t> block_copies_used{0};
  };

  void AddAll(CodedFront& front) const {
    front.Clear(tile_.block_vectors);
    for (const MacroblockPlace place : places_) front.Add(place);
  }

  template <typename MacroblockPort, typename MacroblockObserver>
  void CodeMacroblock(MacroblockPort& port, MacroblockObserver& observer, CodedMacroblock& coded,
                      Sums& sums) {
    MacroblockCoder macroblock(tile_, port, observer, coded);
    macroblock.Code();
    sums.work += macroblock.work();
    sums.block_copies_used |= macroblock.block_copies_used();
  }

  void Take(const Sums& sums) {
    tile_.work += sums.work;
    block_copies_used_ = sums.block_copies_used;
  }

  template <typename Begin, typename PortOf>
  bool CodeSideBySide(CodedFront& front, Begin begin, PortOf port_of, TaskPool& pool) {
    AddAll(front);
    std::atomic<bool> goes_on{true};
    Sums sums;
    pool.ForEach(front.size(), [&](int n, int member) {
      if (!goes_on) return;
      const std::optional<int> i = begin(n, member);
      if (!i) {
        goes_on = false;
        return;
      }
      NullObserver nobody;
      CodeMacroblock(port_of(*i), nobody, front[*i], sums);
    });
    Take(sums);
    return goes_on;
  }

  template <typename Begin>
  bool CodeSubstreams(CodedFront& front, Begin begin, std::span<Port> ports, TaskPool& pool) {
    AddAll(front);
    const int substreams = static_cast<int>(ports.size());
    std::atomic<bool> has_all{true};
    Sums sums;
    const auto code = [&](int i) {
      Port& port = ports[SubstreamOf(places_[i], substreams)];
      if (!begin(i, port)) return false;
      CodeMacroblock(port, observer_, front[i], sums);
      return true;
    };
    if constexpr (std::is_same_v<Observer, NullObserver>) {
      pool.ForEach(substreams, [&](int k, int /*member*/) {
        for (int i = 0; i < front.size(); ++i) {
          if (SubstreamOf(places_[i], substreams) != k || code(i)) continue;
          has_all = false;
          break;
        }
      });
    } else {
      for (int i = 0; i < front.size() && has_all; ++i) has_all = code(i);
    }
    Take(sums);
    return has_all;
  }

  // Makes the residuals of all macroblocks, and their concatenations if they can be learnt.
  void Assemble(CodedFront& front, TaskPool& pool) {
    first_values_.clear();
    for (int i = 0; i < front.size(); ++i) {
      first_values_.push_back(concatenations_.end());
      ConcatenationLister(front[i], concatenations_);
    }
    int16_t* const values = tile_.dictionary.IsFull() ? nullptr : concatenations_.Values();
    pool.ForEach(front.size(), [&](int i, int /*member*/) {
      ResidualAssembler(tile_.dictionary, front[i],
                        values == nullptr ? nullptr : values + first_values_[i]);
    });
  }

  void Learn(TaskPool& pool, const std::function<bool(uint64_t work)>& goes_on,
             const std::function<void()>& before_models) {
    std::function<bool(uint64_t)> goes_on_with;
    if (goes_on) goes_on_with = [&](uint64_t more) { return goes_on(tile_.work + more); };
    tile_.work += tile_.dictionary.Insert(concatenations_, tile_.parameters.redundancy_threshold,
                                          pool, goes_on_with);
    tile_.block_vectors.MoveToFront(block_copies_used_);
    if (before_models) before_models();
    tile_.AddSymbols(IndexModel::kNewCount, PatternOrigin::kGrown);
  }

  // Axis 1 has a sign.
  int32_t BlockVectorComponent(int axis) {
    const int bits = port_.BlockVectorClass(axis);
    if (bits == 0) return 0;
    const int32_t size = 1 << (bits - 1) | (bits > 1 ? port_.BlockVectorBits(bits - 1) : 0);
    return axis == 1 && port_.BlockVectorBits(1) != 0 ? -size : size;
  }

  TileState& tile_;
  Port& port_;
  Observer& observer_;
  std::span<const MacroblockPlace> places_;  // of the front
  uint32_t block_copies_used_ = 0;           // in the front
  PatternList concatenations_;               // of the front
  std::vector<int> first_values_;            // of each macroblock's concatenations
};

}  // namespace mmp

#endif  // MMP_CODEC_TILE_FRONT_CODER_H_
