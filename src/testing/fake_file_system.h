// FakeFileSystem: a file system in memory that forgets like a real one when the power fails. InterruptedFileSystem: any
// file system, up to the moment when the process using it dies.
//
// The fake keeps two images of everything, what a program sees and what the disk holds; fsync copies the one to the
// other. Every call is made of steps, and a test ends the process before the n-th of them:
//
//   FakeFileSystem files(seed);
//   files.die_after(n);          // n steps succeed, then every call fails
//   run(files);
//   files.lose_power();          // or files.end_process(): the disk keeps all that was written
//   run(files);                  // a new process, on what is left
//
// lose_power keeps a random choice of what was never fsynced: of names (a rename stays in one piece), and of bytes, cut
// anywhere, at times with zeros in place of those that did not make it.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ledger/file_system.h"

namespace stopover {

class FakeFileSystem : public FileSystem {
 public:
  explicit FakeFileSystem(std::uint64_t seed) : random_(seed) { root_->directory = true; }

  // The next `steps` steps succeed; then the process is dead until lose_power or end_process.
  void die_after(std::uint64_t steps) { left_ = steps; }
  // The step after the next `steps` fails once, with an I/O error.
  void fail_after(std::uint64_t steps) { failing_ = steps_ + steps; }
  // Steps made since the beginning.
  std::uint64_t steps() const { return steps_; }
  bool dead() const { return left_ == 0; }

  void end_process() {
    left_ = kForever;
    ++life_;
  }

  void lose_power() {
    end_process();
    const std::uint64_t mood = draw(2);  // 0: nothing unsynced stays, 1: half of it, 2: all names
    for (const Change& change : pending_) {
      if (mood == 2 || (mood == 1 && draw(1) == 0)) apply(change, &Node::durable);
    }
    pending_.clear();
    forget(*root_);
  }

  // The bytes a program would read; for tests that damage a file behind everyone's back.
  std::string& content(const std::string& path) { return find(path)->data; }

  std::string fresh_id() override {
    std::string id = std::to_string(++ids_);
    return id.insert(0, 32 - id.size(), '0');
  }

  bool exists(const std::string& path) override { return find(path) != nullptr; }

  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override {
    if (Status s = step("open", path); !s) return s.error();
    const NodePointer node = find(path);
    if (!node || node->directory) return Error{Failure::bad_input, "cannot open " + path};
    if (node->locked_in == life_) return Error{Failure::locked, path + " is locked by another process"};
    node->locked_in = life_;
    return std::unique_ptr<AppendFile>(new File(*this, node, path));
  }

  Result<std::string> read_file(const std::string& path) override {
    if (Status s = step("read", path); !s) return s.error();
    const NodePointer node = find(path);
    if (!node || node->directory) return Error{Failure::bad_input, "cannot open " + path};
    return node->data;
  }

  Status write_file(const std::string& path, std::string_view content) override {
    if (Status s = step("write", path); !s) return s;
    NodePointer node = find(path);
    if (!node) {
      const NodePointer parent = find(parent_directory(path));
      if (!parent) return Error{Failure::bad_input, "cannot write " + path + ": no such directory"};
      node = std::make_shared<Node>();
      change({{parent, name_of(path), node}});
    }
    node->data.clear();
    if (Status s = write(node, content, path); !s) return s;
    return sync(node, path);
  }

  Status fsync_path(const std::string& path) override {
    const NodePointer node = find(path);
    if (!node) return Error{Failure::bad_input, "cannot open " + path};
    return node->directory ? fsync_dir(path) : sync(node, path);
  }

  Status fsync_dir(const std::string& path) override {
    if (Status s = step("fsync", path); !s) return s;
    const NodePointer node = find(path);
    if (!node || !node->directory) return Error{Failure::bad_input, "cannot open " + path};
    std::vector<Change> rest;
    for (Change& change : pending_) {
      const bool here = std::any_of(change.begin(), change.end(), [&](const Edit& e) { return e.directory == node; });
      if (here) {
        apply(change, &Node::durable);
      } else {
        rest.push_back(std::move(change));
      }
    }
    pending_ = std::move(rest);
    return {};
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (exists(to)) return Error{Failure::output_exists, "cannot move into place " + to + ": File exists"};
    return replace(from, to);
  }

  Status replace(const std::string& from, const std::string& to) override {
    if (Status s = step("rename", to); !s) return s;
    const NodePointer node = find(from);
    const NodePointer source = find(parent_directory(from));
    const NodePointer target = find(parent_directory(to));
    if (!node || !target) return Error{Failure::bad_input, "cannot move into place " + to};
    change({{source, name_of(from), nullptr}, {target, name_of(to), node}});
    return {};
  }

  Status make_directory(const std::string& path) override {
    if (exists(path)) return {};
    if (Status s = make_directory(parent_directory(path)); !s) return s;
    if (Status s = step("make directory", path); !s) return s;
    auto node = std::make_shared<Node>();
    node->directory = true;
    change({{find(parent_directory(path)), name_of(path), node}});
    return {};
  }

  Status remove_tree(const std::string& path) override {
    if (Status s = step("remove", path); !s) return s;
    if (exists(path)) change({{find(parent_directory(path)), name_of(path), nullptr}});
    return {};
  }

 private:
  struct Node;
  using NodePointer = std::shared_ptr<Node>;
  using Entries = std::map<std::string, NodePointer>;
  struct Node {
    bool directory = false;
    std::string data, synced;
    Entries entries, durable;
    std::uint64_t locked_in = 0;
  };
  struct Edit {
    NodePointer directory;
    std::string name;
    NodePointer node;  // null: the name goes
  };
  using Change = std::vector<Edit>;  // happens as a whole or not at all

  class File : public AppendFile {
   public:
    File(FakeFileSystem& files, NodePointer node, std::string path)
        : files_(files), node_(std::move(node)), path_(std::move(path)), life_(files.life_) {}
    ~File() override {
      if (life_ == files_.life_) node_->locked_in = 0;
    }
    Result<std::string> read() override {
      if (Status s = files_.step("read", path_); !s) return s.error();
      return node_->data;
    }
    Status append(std::string_view bytes) override { return files_.write(node_, bytes, path_); }
    Status sync() override { return files_.sync(node_, path_); }

   private:
    FakeFileSystem& files_;
    NodePointer node_;
    std::string path_;
    std::uint64_t life_;
  };

  static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

  Status step(const std::string& action, const std::string& path) {
    if (left_ == 0) return Error{Failure::bad_input, "cannot " + action + " " + path + ": the process is dead"};
    if (left_ != kForever) --left_;
    if (steps_++ == failing_)
      return Error{Failure::bad_input, "cannot " + action + " " + path + ": Input/output error"};
    return {};
  }

  Status write(const NodePointer& node, std::string_view bytes, const std::string& path) {
    const std::size_t cut = draw(bytes.size());
    for (const std::string_view part : {bytes.substr(0, cut), bytes.substr(cut)}) {
      if (Status s = step("write", path); !s) return s;
      node->data += part;
    }
    return {};
  }

  Status sync(const NodePointer& node, const std::string& path) {
    if (Status s = step("fsync", path); !s) return s;
    node->synced = node->data;
    return {};
  }

  std::uint64_t draw(std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>(0, most)(random_); }

  static std::string name_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

  NodePointer find(const std::string& path) const {
    NodePointer node = root_;
    for (std::size_t at = 0; node && at < path.size();) {
      const std::size_t slash = std::min(path.size(), path.find('/', at));
      const std::string name = path.substr(at, slash - at);
      at = slash + 1;
      if (name.empty() || name == ".") continue;
      const auto entry = node->entries.find(name);
      node = entry == node->entries.end() ? nullptr : entry->second;
    }
    return node;
  }

  static void apply(const Change& change, Entries Node::* image) {
    for (const Edit& edit : change) {
      Entries& entries = edit.directory.get()->*image;
      entries.erase(edit.name);
      if (edit.node) entries[edit.name] = edit.node;
    }
  }

  void change(Change edits) {
    apply(edits, &Node::entries);
    pending_.push_back(std::move(edits));
  }

  void forget(Node& node) {
    if (!node.directory) {
      node.data = survivor(node);
      node.synced = node.data;
      return;
    }
    node.entries = node.durable;
    for (const auto& [name, child] : node.entries) forget(*child);
  }

  std::string survivor(const Node& node) {
    if (!node.data.starts_with(node.synced))
      return draw(1) == 0 ? node.synced : node.data.substr(0, draw(node.data.size()));
    const std::size_t unsynced = node.data.size() - node.synced.size();
    std::string kept = node.data.substr(0, node.synced.size() + draw(unsynced));
    if (draw(3) == 0) kept.resize(kept.size() + draw(node.data.size() - kept.size()), '\0');
    return kept;
  }

  std::mt19937_64 random_;
  NodePointer root_ = std::make_shared<Node>();
  std::vector<Change> pending_;
  std::uint64_t left_ = kForever;
  std::uint64_t failing_ = kForever;
  std::uint64_t steps_ = 0;
  std::uint64_t life_ = 1;
  std::uint64_t ids_ = 0;
};

// Passes every call on to `inner` until `calls` of them were made; from then on each fails, as if the process had died
// there. For transactions whose files are written by others (DuckDB) and cannot live in memory.
class InterruptedFileSystem : public FileSystem {
 public:
  InterruptedFileSystem(FileSystem& inner, std::uint64_t calls) : inner_(inner), left_(calls) {}

  bool dead() const { return left_ == 0; }

  std::string fresh_id() override { return inner_.fresh_id(); }
  bool exists(const std::string& path) override { return inner_.exists(path); }
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& path) override {
    if (!alive()) return death();
    auto file = inner_.open_append(path);
    if (!file) return file.error();
    return std::unique_ptr<AppendFile>(new File(*this, std::move(*file)));
  }
  Result<std::string> read_file(const std::string& path) override {
    if (!alive()) return death();
    return inner_.read_file(path);
  }
  Status write_file(const std::string& path, std::string_view content) override {
    return alive() ? inner_.write_file(path, content) : death();
  }
  Status fsync_path(const std::string& path) override { return alive() ? inner_.fsync_path(path) : death(); }
  Status fsync_dir(const std::string& path) override { return alive() ? inner_.fsync_dir(path) : death(); }
  Status rename(const std::string& from, const std::string& to) override {
    return alive() ? inner_.rename(from, to) : death();
  }
  Status replace(const std::string& from, const std::string& to) override {
    return alive() ? inner_.replace(from, to) : death();
  }
  Status make_directory(const std::string& path) override { return alive() ? inner_.make_directory(path) : death(); }
  Status remove_tree(const std::string& path) override { return alive() ? inner_.remove_tree(path) : death(); }

 private:
  class File : public AppendFile {
   public:
    File(InterruptedFileSystem& files, std::unique_ptr<AppendFile> inner) : files_(files), inner_(std::move(inner)) {}
    Result<std::string> read() override {
      if (!files_.alive()) return death();
      return inner_->read();
    }
    Status append(std::string_view bytes) override { return files_.alive() ? inner_->append(bytes) : death(); }
    Status sync() override { return files_.alive() ? inner_->sync() : death(); }

   private:
    InterruptedFileSystem& files_;
    std::unique_ptr<AppendFile> inner_;
  };

  bool alive() { return left_ > 0 && left_-- > 0; }
  static Error death() { return {Failure::bad_input, "the process is dead"}; }

  FileSystem& inner_;
  std::uint64_t left_;
};

}  // namespace stopover
