// Desk: what the routes of `stopover desk` reply, without a socket. Nothing of `serve` is in it, and nothing of it in
// `serve`.
//
//   GET  /?token=...          the cookie, once                  GET  /               the page
//   GET  /api/desk            what this desk is                 GET  /api/files      a folder's entries
//   GET  /api/drafts          names                             GET  /api/draft      one; POST keeps it, with the
//   revision POST /api/draft/remove                                      it was read at (409 where another tab was
//   quicker) POST /api/jobs            starts one                        GET  /api/jobs       what it tells; POST
//   /api/jobs/stop POST /api/script          a job as one would type it        GET  /api/ground     coasts and towns of
//   a box POST /api/zones           keeps a public file of zones      GET  /api/found      releases, series, ledgers
//   GET  /text                a job's page, sandboxed           GET  /export         an exported file
//   POST /api/close           ends the desk
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.h"
#include "desk/exchange.h"
#include "desk/folders.h"
#include "desk/gate.h"
#include "desk/workshop.h"
#include "geo/json_fwd.h"

namespace stopover {

struct DeskOptions {
  std::string state;       // the ledgers' memory (state_folder.h)
  bool allow_sql = false;  // rows by a query: reads whatever this user can
  std::string key;         // name of a key that can be repeated; "" but in the laboratory
  double idle_minutes = 60;
  std::string version;
};

class Desk {
 public:
  // REQUIRES: all outlive it.
  Desk(Gate& gate, const Folders& folders, Workshop& workshop, DeskOptions options);

  DeskReply reply(const DeskRequest& request);
  // Whether its page asked to end it.
  bool closed() const { return closed_; }

 private:
  DeskReply api(const DeskRequest& request, std::string_view path);
  DeskReply read(const DeskRequest& request, std::string_view path);
  DeskReply write(const DeskRequest& request, std::string_view path);
  DeskReply about() const;
  DeskReply files(const std::string& folder) const;
  DeskReply found() const;
  DeskReply drafts() const;
  DeskReply draft(const std::string& name) const;
  DeskReply keep_draft(const Json& given) const;
  DeskReply remove_draft(const Json& given) const;
  DeskReply start(const Json& given);
  DeskReply look(const std::string& id, const std::string& from) const;
  DeskReply keep_zones(const std::string& name, std::string_view text) const;
  DeskReply text(const std::string& id) const;
  DeskReply exported(const std::string& path) const;

  Gate& gate_;
  const Folders& folders_;
  Workshop& workshop_;
  DeskOptions options_;
  std::atomic<bool> closed_ = false;
};

}  // namespace stopover
