// What a configuration chooses by name. An entry is the whole of an extension: whoever needs to know something about a
// choice asks its entry, so nothing else has to be told of a new one.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace dragoman {

template <class Entry>  // has a member `name`
class Table {
 public:
  /// `kind` is what an entry is called in messages.
  Table(std::string kind, std::initializer_list<const Entry*> entries) : kind_(std::move(kind)), entries_(entries) {}

  /// Adds one more, which must outlive the table. Before anything is read from a configuration; not thread-safe.
  void add(const Entry& entry) {
    CHECK(find(entry.name) == nullptr, "two entries are called " + std::string(entry.name) + " (" + kind_ + ")");
    entries_.push_back(&entry);
  }

  /// Null: there is none.
  [[nodiscard]] const Entry* find(std::string_view name) const {
    for (const Entry* entry : entries_) {
      if (name == entry->name) return entry;
    }
    return nullptr;
  }
  /// CHECK fails for an unknown name: configurations are checked before.
  [[nodiscard]] const Entry& at(std::string_view name) const {
    const Entry* entry = find(name);
    CHECK(entry != nullptr, "unknown " + kind_ + " " + std::string(name));
    return *entry;
  }

  /// The names of the entries for which wanted(entry), in order.
  template <class Wanted>
  [[nodiscard]] std::vector<std::string> names_of(Wanted wanted) const {
    std::vector<std::string> names;
    for (const Entry* entry : entries_) {
      if (wanted(*entry)) names.emplace_back(entry->name);
    }
    return names;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    return names_of([](const Entry&) { return true; });
  }

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  std::string kind_;
  std::vector<const Entry*> entries_;
};

}  // namespace dragoman
