#include <zlib.h>

#include <string>

#include "core/error.h"
#include "io/unpacker.h"

namespace dragoman {

namespace {

class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker() { CHECK(inflateInit2(&z_, 15 + 16) == Z_OK, "zlib"); }
  ~GzipUnpacker() override { inflateEnd(&z_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

  Unpacked step(std::string_view packed, char* out, std::size_t capacity) override {
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib only reads it
    z_.avail_in = static_cast<uInt>(packed.size());
    z_.next_out = reinterpret_cast<Bytef*>(out);
    z_.avail_out = static_cast<uInt>(capacity);
    const int status = inflate(&z_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      throw BrokenFile(z_.msg != nullptr ? z_.msg : "unknown error");
    }
    const Unpacked done{packed.size() - z_.avail_in, capacity - z_.avail_out, status == Z_STREAM_END};
    if (done.ended) inflateReset(&z_);
    return done;
  }

 private:
  z_stream z_{};
};

}  // namespace

std::unique_ptr<Unpacker> unpack_gzip() { return std::make_unique<GzipUnpacker>(); }

}  // namespace dragoman
