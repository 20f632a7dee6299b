#ifdef DRAGOMAN_XZ
#include <lzma.h>

#include "core/error.h"
#include "io/unpacker.h"

namespace dragoman {

namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 28;  // xz -9 takes 65 MiB

class XzUnpacker final : public Unpacker {
 public:
  XzUnpacker() { start(); }
  ~XzUnpacker() override { lzma_end(&stream_); }
  XzUnpacker(const XzUnpacker&) = delete;
  XzUnpacker& operator=(const XzUnpacker&) = delete;

  Unpacked step(std::string_view packed, char* out, std::size_t capacity) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = capacity;
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    if (status == LZMA_MEMLIMIT_ERROR) throw BrokenFile("it wants more than 256 MiB of memory");
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR) {
      throw BrokenFile(status == LZMA_OPTIONS_ERROR ? "unknown options" : "bad data");
    }
    const Unpacked done{packed.size() - stream_.avail_in, capacity - stream_.avail_out, status == LZMA_STREAM_END};
    if (done.ended) start();
    return done;
  }

 private:
  void start() { CHECK(lzma_stream_decoder(&stream_, kMemory, 0) == LZMA_OK, "liblzma"); }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<Unpacker> unpack_xz() { return std::make_unique<XzUnpacker>(); }

}  // namespace dragoman
#endif
