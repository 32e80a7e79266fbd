#include "cli/commands.h"
#include "lab/attack_command.h"
#include "lab/audit_command.h"
#include "lab/chart_command.h"
#include "lab/coverage_command.h"
#include "lab/draw_command.h"
#include "lab/evaluate_command.h"
#include "lab/reproduce_command.h"
#include "lab/series_command.h"
#include "testing/test_key.h"

int main(int argc, char** argv) {
  using namespace stopover;
  Cli cli("stopover-lab", "stopover with what needs the truth or a repeatable key");
  add_generate(cli);
  add_publish(cli, [](const std::string& name) -> Result<ReleaseKey> { return test_key(name); });
  add_desk(cli, [](const std::string& name) -> Result<ReleaseKey> { return test_key(name); });
  add_info(cli);
  add_query(cli);
  add_mechanisms(cli);
  add_ledger(cli);
  add_verify(cli);
  add_pack(cli);
  add_key(cli);
  add_sign(cli);
  add_supersede(cli);
  add_audit(cli);
  add_attack(cli);
  add_evaluate(cli);
  add_coverage(cli);
  add_reproduce(cli);
  add_series(cli);
  add_chart(cli);
  add_draw(cli);
  add_help(cli);
  return cli.run(argc, argv);
}
