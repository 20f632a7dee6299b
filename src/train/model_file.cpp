#include "train/model_file.h"

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
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

void save_model(const std::string& path, const ParamStore& store) {
  write_safetensors(path, as_tensors(store, store.values().base), {{"format", std::to_string(kModelFormat)}});
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

std::vector<std::string> init_from_model(const std::string& path, ParamStore& store) {
  const SafetensorsFile file(path);
  check_format(file);
  std::vector<std::string> missing;
  for (const Param& p : store.params()) {
    if (file.contains(p.name) && file.shape(p.name) == shape_of(p)) {
      read_param(file, p.name, p, store.data());
    } else {
      missing.push_back(p.name + (file.contains(p.name) ? " (shape " + shape_text(file.shape(p.name)) + ", expected " +
                                                              shape_text(shape_of(p)) + ")"
                                                        : " (not in the file)"));
    }
  }
  if (missing.size() == store.params().size()) {
    throw UserError(path, 0, "training.init_from: no tensor has the name and shape of a parameter of this model");
  }
  return missing;
}

}  // namespace DRAGOMAN_NAMESPACE
