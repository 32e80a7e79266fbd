#include "peers/lab_run.h"

#include <array>

#include "base/check.h"
#include "peers/laplace.h"
#include "peers/privlet.h"
#include "peers/varywidth.h"
#include "release/consistency.h"

namespace stopover {
namespace {

// The plan of a row that does not publish.
struct Peer {
  std::string_view name;
  Status (*check)(const Params&, const Domain&);  // may be nullptr
  void (*plan)(Kernel&, const Params&, LabResult&);
};

constexpr std::array kPeers = {
    Peer{"varywidth", nullptr, plan_varywidth},
    Peer{"privlet", check_privlet, plan_privlet},
    Peer{"laplace", check_laplace, plan_laplace},
    Peer{"laplace-threshold", check_laplace_threshold, plan_laplace_threshold},
};

const Peer& peer_of(const Mechanism& mechanism) {
  for (const Peer& peer : kPeers) {
    if (peer.name == mechanism.name) return peer;
  }
  check_failed(__FILE__, __LINE__, "a row of the table of mechanisms has no plan");
}

}  // namespace

Status check_in_lab(const Mechanism& mechanism, const Params& params, const Domain& domain) {
  if (mechanism.publishes()) return check_mechanism(mechanism, params, domain);
  if (Status ok = check_axes(mechanism, domain); !ok) return ok;
  const Peer& peer = peer_of(mechanism);
  return peer.check ? peer.check(params, domain) : Status();
}

LabResult run_in_lab(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit) {
  if (mechanism.publishes()) return run_mechanism(mechanism, params, kernel, unit);
  LabResult result;
  result.release =
      run_plan(mechanism, params, kernel, unit, [&](Release&) { peer_of(mechanism).plan(kernel, params, result); });
  if (result.differences || result.kept_from) return result;
  for (Table& grid : result.grids) make_consistent(grid, result.release.rate(1));
  return result;
}

}  // namespace stopover
