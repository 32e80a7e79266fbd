#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace stopover;
  run_sibling(argc, argv);
  Cli cli("stopover", "trips through stops, published with differential privacy");
  add_demo(cli);
  add_doctor(cli);
  add_generate(cli);
  add_inspect(cli);
  add_domain(cli);
  add_cells(cli);
  add_plan(cli);
  add_publish(cli);
  add_info(cli);
  add_query(cli);
  add_export(cli);
  add_html(cli);
  add_serve(cli);
  add_desk(cli);
  add_mechanisms(cli);
  add_ledger(cli);
  add_verify(cli);
  add_pack(cli);
  add_upgrade(cli);
  add_key(cli);
  add_sign(cli);
  add_supersede(cli);
  add_sibling(cli, "audit", "try to catch a mechanism leaking more than it claims");
  add_sibling(cli, "evaluate", "how wrong is each mechanism here? (curator only)");
  add_sibling(cli, "reproduce", "the paper's experiments again, as one page of figures");
  add_completion(cli);
  add_help(cli);
  return cli.run(argc, argv);
}
