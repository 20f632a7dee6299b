#include "train/model_file.h"

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "io/atomic_file.h"
#include "kernels/finite.h"

namespace DRAGOMAN_NAMESPACE {
namespace {

std::vector<Index> shape_of(const Param& p) {
  if (p.ref.rows == 1) return {p.ref.cols};
  return {p.ref.rows, p.ref.cols};
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

/// The parameter, and why the file has nothing for it.
std::string unfit(const SafetensorsFile& file, const Param& p) {
  if (!file.contains(p.name)) return p.name + " (not in the file)";
  return p.name + " (shape " + shape_text(file.shape(p.name)) + ", expected " + shape_text(shape_of(p)) + ")";
}

void check_format(const SafetensorsFile& file) {
  const auto found = file.metadata().find("format");
  // Only our numbers count: other programs write words such as "pt" there.
  if (found == file.metadata().end() || std::atoi(found->second.c_str()) <= kModelFormat) return;
  throw UserError(file.path(), 0,
                  "format " + found->second + " is newer than this program, which reads format " +
                      std::to_string(kModelFormat) + "; use a newer dragoman");
}

void read_param(const SafetensorsFile& file, const std::string& name, const Param& p, Real* numbers) {
  const std::span<Real> out(numbers + p.ref.offset, static_cast<std::size_t>(p.ref.rows * p.ref.cols));
  file.read(name, out);
  if (!all_finite(out.data(), out.size())) {
    throw UserError(file.path(), 0, "tensor " + name + " holds NaN or infinity");
  }
}

/// The pieces that the file has, when the rest of the shape fits.
bool read_pieces(const SafetensorsFile& file, const Param& p, const PieceRows& rows, Real* numbers) {
  std::vector<Index> expected = shape_of(p);
  (rows.columns ? expected.back() : expected.front()) = rows.size;
  if (!file.contains(p.name) || file.shape(p.name) != expected) return false;
  const Index file_cols = rows.columns ? rows.size : p.ref.cols;
  const Index file_rows = rows.columns ? p.ref.rows : rows.size;
  Param all{p.name, {0, file_rows, file_cols}, {}};
  std::vector<Real> read(static_cast<std::size_t>(file_rows * file_cols));
  read_param(file, p.name, all, read.data());
  for (std::size_t piece = 0; piece < rows.from.size(); ++piece) {
    if (rows.from[piece] < 0) continue;
    const auto to = static_cast<Index>(piece);
    for (Index i = 0; i < (rows.columns ? p.ref.rows : p.ref.cols); ++i) {
      const Index from_place = rows.columns ? i * file_cols + rows.from[piece] : rows.from[piece] * file_cols + i;
      const Index to_place = rows.columns ? i * p.ref.cols + to : to * p.ref.cols + i;
      numbers[static_cast<Index>(p.ref.offset) + to_place] = read[from_place];
    }
  }
  return true;
}

void check_tensors(const SafetensorsFile& file, const ParamStore& store, const std::vector<std::string>& prefixes) {
  const std::string& path = file.path();
  check_format(file);
  std::size_t expected = 0;
  for (const std::string& prefix : prefixes) {
    for (const Param& p : store.params()) {
      const std::string name = prefix + p.name;
      if (!file.contains(name)) throw UserError(path, 0, "tensor " + name + " is missing; is it another model's file?");
      if (file.shape(name) != shape_of(p)) {
        throw UserError(
            path, 0,
            "tensor " + name + " has shape " + shape_text(file.shape(name)) + ", expected " + shape_text(shape_of(p)));
      }
      ++expected;
    }
  }
  if (file.names().size() == expected) return;
  for (const std::string& name : file.names()) {
    const bool known = std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
      return name.starts_with(prefix) && store.find(name.substr(prefix.size())) != nullptr;
    });
    if (!known) throw UserError(path, 0, "tensor " + name.substr(0, 200) + " is not part of this model");
  }
}

}  // namespace

std::vector<TensorSource> as_tensors(const ParamStore& store, const Real* numbers, const std::string& prefix) {
  std::vector<TensorSource> tensors;
  for (const Param& p : store.params()) {
    tensors.push_back(
        {prefix + p.name, shape_of(p),
         std::span<const Real>(numbers + p.ref.offset, static_cast<std::size_t>(p.ref.rows * p.ref.cols))});
  }
  return tensors;
}

std::uint32_t save_model(const std::string& path, const ParamStore& store) {
  AtomicFile file(path);
  write_model(file, store);
  file.commit();
  return file.checksum();
}

void write_model(AtomicFile& file, const ParamStore& store) {
  write_safetensors(file, as_tensors(store, store.values().base), {{"format", std::to_string(kModelFormat)}});
}

void load_tensors(const std::string& path, const ParamStore& store, const std::vector<std::string>& prefixes,
                  const std::vector<Real*>& numbers) {
  const SafetensorsFile file(path);
  check_tensors(file, store, prefixes);
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    for (const Param& p : store.params()) read_param(file, prefixes[i] + p.name, p, numbers[i]);
  }
}

void check_model(const std::string& path, const ParamStore& store) {
  check_tensors(SafetensorsFile(path), store, {""});
}

void load_model(const std::string& path, ParamStore& store) {
  const SafetensorsFile file(path);
  check_tensors(file, store, {""});
  store.allocate();
  for (const Param& p : store.params()) read_param(file, p.name, p, store.data());
}

std::vector<std::string> init_from_model(const std::string& path, ParamStore& store,
                                         const std::vector<PieceRows>& rows) {
  const SafetensorsFile file(path);
  check_format(file);
  std::vector<std::string> missing;
  for (const Param& p : store.params()) {
    const auto mapped = std::find_if(rows.begin(), rows.end(), [&](const PieceRows& r) { return r.name == p.name; });
    if (mapped != rows.end()) {
      if (!read_pieces(file, p, *mapped, store.data())) missing.push_back(unfit(file, p));
    } else if (file.contains(p.name) && file.shape(p.name) == shape_of(p)) {
      read_param(file, p.name, p, store.data());
    } else {
      missing.push_back(unfit(file, p));
    }
  }
  if (missing.size() == store.params().size()) {
    throw UserError(path, 0, "training.init_from: no tensor has the name and shape of a parameter of this model");
  }
  return missing;
}

std::vector<std::string> common_names(const std::string& path, const ParamStore& store) {
  const SafetensorsFile file(path);
  std::vector<std::string> names;
  for (const Param& p : store.params()) {
    if (file.contains(p.name)) names.push_back(p.name);
  }
  return names;
}

}  // namespace DRAGOMAN_NAMESPACE
