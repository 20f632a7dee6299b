#ifdef DRAGOMAN_ZSTD
#include <zstd.h>

#include <new>

#include "io/unpacker.h"

namespace dragoman {

namespace {

/// The library refuses frames that want more than 128 MiB of memory.
class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdUnpacker() override { ZSTD_freeDStream(stream_); }
  ZstdUnpacker(const ZstdUnpacker&) = delete;
  ZstdUnpacker& operator=(const ZstdUnpacker&) = delete;

  Unpacked step(std::string_view packed, char* out, std::size_t capacity) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer to{out, capacity, 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &to, &in);
    if (ZSTD_isError(status) != 0) throw BrokenFile(ZSTD_getErrorName(status));
    return {in.pos, to.pos, status == 0};
  }

 private:
  ZSTD_DStream* stream_;
};

}  // namespace

std::unique_ptr<Unpacker> unpack_zstd() { return std::make_unique<ZstdUnpacker>(); }

}  // namespace dragoman
#endif
