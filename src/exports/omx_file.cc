#include "exports/omx_file.h"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace stopover {
namespace {

constexpr hsize_t kColumns = 256;  // of a chunk

// One HDF5 handle, closed at the end.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { (void)reset(); }

  hid_t id() const { return id_; }
  bool ok() const { return id_ >= 0; }
  bool reset() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

Handle fixed_text(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::max<std::size_t>(1, size));
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

bool write_attribute(hid_t of, const char* name, hid_t type, const Handle& space, const void* value) {
  const Handle attribute(H5Acreate2(of, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.ok() && H5Awrite(attribute.id(), type, value) >= 0;
}

// OMX_VERSION must be plain bytes: readers compare it with b'0.2'.
bool write_text(hid_t of, const char* name, const std::string& text, bool plain = false) {
  const Handle type = fixed_text(text.size());
  if (plain) H5Tset_cset(type.id(), H5T_CSET_ASCII);
  return write_attribute(of, name, type.id(), Handle(H5Screate(H5S_SCALAR), H5Sclose), text.data());
}

}  // namespace

struct OmxFile::State {
  hsize_t zones = 0;
  Handle file, data, lookup;

  static Error failed() { return {Failure::internal, "HDF5 refused to make the matrices"}; }

  bool add_lookup(const char* name, hid_t type, const void* values) const {
    const Handle space(H5Screate_simple(1, &zones, nullptr), H5Sclose);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(how.id(), false);  // the same zones, the same bytes
    const Handle set(H5Dcreate2(lookup.id(), name, type, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT), H5Dclose);
    return set.ok() && H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  }

  bool add_names(const std::vector<std::string>& names) const {
    std::size_t longest = 1;
    for (const std::string& name : names) longest = std::max(longest, name.size());
    std::string block(longest * names.size(), '\0');
    for (std::size_t i = 0; i < names.size(); ++i) names[i].copy(block.data() + i * longest, longest);
    const Handle type = fixed_text(longest);
    return add_lookup("zone", type.id(), block.data());
  }
};

OmxFile::OmxFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OmxFile::OmxFile(OmxFile&&) noexcept = default;
OmxFile::~OmxFile() = default;

Result<OmxFile> OmxFile::make(const std::vector<std::string>& zones, const std::string& card) {
  STOPOVER_CHECK(!zones.empty(), "a matrix has at least one zone");
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  auto state = std::make_unique<State>();
  state->zones = zones.size();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.id(), std::size_t{1} << 20, false);
  state->file = Handle(H5Fcreate("in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  if (!state->file.ok()) return State::failed();
  const hid_t root = state->file.id();
  state->data = Handle(H5Gcreate2(root, "data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  state->lookup = Handle(H5Gcreate2(root, "lookup", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  const int shape[2] = {static_cast<int>(zones.size()), static_cast<int>(zones.size())};
  const hsize_t two = 2;
  std::vector<int> numbers(zones.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i) + 1;
  // An attribute must fit into 64 KiB of the object's header; a card is a few.
  const bool ok =
      state->data.ok() && state->lookup.ok() && write_text(root, "OMX_VERSION", "0.2", true) &&
      write_attribute(root, "SHAPE", H5T_NATIVE_INT, Handle(H5Screate_simple(1, &two, nullptr), H5Sclose), shape) &&
      write_text(root, "stopover", card.substr(0, 60'000)) && state->add_names(zones) &&
      state->add_lookup("number", H5T_NATIVE_INT, numbers.data());
  if (!ok) return State::failed();
  return OmxFile(std::move(state));
}

Status OmxFile::begin(const std::string& name, const std::string& description) {
  const hsize_t size[2] = {state_->zones, state_->zones};
  const hsize_t chunk[2] = {std::min<hsize_t>(state_->zones, kRows), std::min<hsize_t>(state_->zones, kColumns)};
  const Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
  const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const double zero = 0, missing = std::nan("");
  H5Pset_chunk(how.id(), 2, chunk);
  H5Pset_fill_value(how.id(), H5T_NATIVE_DOUBLE, &zero);
  H5Pset_shuffle(how.id());
  H5Pset_deflate(how.id(), 1);
  H5Pset_obj_track_times(how.id(), false);
  const Handle set(
      H5Dcreate2(state_->data.id(), name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT),
      H5Dclose);
  const bool ok =
      set.ok() &&
      write_attribute(set.id(), "NA", H5T_NATIVE_DOUBLE, Handle(H5Screate(H5S_SCALAR), H5Sclose), &missing) &&
      write_text(set.id(), "description", description);
  if (ok) return {};
  return State::failed();
}

Status OmxFile::put(const std::string& name, std::size_t first, std::span<const double> rows) {
  const hsize_t columns = state_->zones, height = rows.size() / columns;
  STOPOVER_CHECK(first % kRows == 0 && rows.size() % columns == 0 && first + height <= columns, "whole chunks of rows");
  const Handle set(H5Dopen2(state_->data.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.ok()) return State::failed();
  const Handle there(H5Dget_space(set.id()), H5Sclose);
  const hsize_t shape[2] = {height, columns};
  const Handle here(H5Screate_simple(2, shape, nullptr), H5Sclose);
  for (hsize_t top = 0; top < height; top += kRows) {
    for (hsize_t left = 0; left < columns; left += kColumns) {
      const hsize_t at[2] = {top, left}, place[2] = {first + top, left};
      const hsize_t size[2] = {std::min<hsize_t>(kRows, height - top), std::min<hsize_t>(kColumns, columns - left)};
      const auto empty = [&](hsize_t row) {
        const auto part = rows.subspan((top + row) * columns + left, size[1]);
        return std::all_of(part.begin(), part.end(), [](double value) { return value == 0; });
      };
      bool zeros = true;
      for (hsize_t row = 0; row < size[0] && zeros; ++row) zeros = empty(row);
      if (zeros) continue;
      H5Sselect_hyperslab(here.id(), H5S_SELECT_SET, at, nullptr, size, nullptr);
      H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, place, nullptr, size, nullptr);
      if (H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, here.id(), there.id(), H5P_DEFAULT, rows.data()) < 0) {
        return State::failed();
      }
    }
  }
  return {};
}

Status OmxFile::add(const std::string& name, const std::string& description, std::span<const double> values) {
  STOPOVER_CHECK(values.size() == state_->zones * state_->zones, "a matrix has one value for every pair of zones");
  if (Status s = begin(name, description); !s) return s;
  return put(name, 0, values);
}

Status OmxFile::add_sparse(const SparseRows& rows) {
  STOPOVER_CHECK(rows.starts.size() == state_->zones + 1 && rows.values.size() == rows.names.size(), "whole rows");
  const Handle group(H5Gcreate2(state_->file.id(), "sparse", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  const auto add_list = [&](const std::string& name, hid_t stored, hid_t type, hsize_t size, const void* values) {
    constexpr hsize_t kChunk = 65'536;
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(how.id(), false);
    if (size > 0) {
      const hsize_t chunk = std::min(size, kChunk);
      H5Pset_chunk(how.id(), 1, &chunk);
      H5Pset_shuffle(how.id());
      H5Pset_deflate(how.id(), 1);
    }
    const Handle set(H5Dcreate2(group.id(), name.c_str(), stored, space.id(), H5P_DEFAULT, how.id(), H5P_DEFAULT),
                     H5Dclose);
    return set.ok() && (size == 0 || H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  };
  const hsize_t entries = rows.columns.size();
  bool ok = group.ok() && add_list("indptr", H5T_STD_I64LE, H5T_NATIVE_INT64, rows.starts.size(), rows.starts.data()) &&
            add_list("indices", H5T_STD_I32LE, H5T_NATIVE_INT32, entries, rows.columns.data());
  for (std::size_t i = 0; ok && i < rows.names.size(); ++i) {
    STOPOVER_CHECK(rows.values[i].size() == entries, "one value for every entry");
    ok = add_list(rows.names[i], H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, entries, rows.values[i].data());
  }
  if (ok) return {};
  return State::failed();
}

Result<std::string> OmxFile::finish() {
  const bool data = state_->data.reset(), lookup = state_->lookup.reset();
  if (!data || !lookup || H5Fflush(state_->file.id(), H5F_SCOPE_LOCAL) < 0) return State::failed();
  const ssize_t size = H5Fget_file_image(state_->file.id(), nullptr, 0);
  if (size <= 0) return State::failed();
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(state_->file.id(), bytes.data(), bytes.size()) != size || !state_->file.reset())
    return State::failed();
  return bytes;
}

}  // namespace stopover
