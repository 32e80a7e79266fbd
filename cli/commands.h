// The commands, one file each. Every add_x declares a command's flags on the Cli and what to run.
#pragma once

#include <functional>
#include <string>

#include "cli/app.h"
#include "job/publish_job.h"

namespace stopover {

void add_demo(Cli& cli);
void add_doctor(Cli& cli);
void add_generate(Cli& cli);
void add_inspect(Cli& cli);
void add_domain(Cli& cli);
void add_cells(Cli& cli);
void add_info(Cli& cli);
void add_query(Cli& cli);
void add_html(Cli& cli);
void add_serve(Cli& cli);
void add_plan(Cli& cli);
void add_export(Cli& cli);
void add_mechanisms(Cli& cli);
void add_ledger(Cli& cli);
void add_verify(Cli& cli);
void add_pack(Cli& cli);
void add_upgrade(Cli& cli);
void add_key(Cli& cli);
void add_sign(Cli& cli);
void add_supersede(Cli& cli);
void add_completion(Cli& cli);
void add_help(Cli& cli);

// `key_by_name`: where `publish --test-key NAME` gets its key. The published program has none and refuses the flag.
void add_publish(Cli& cli, KeyByName key_by_name = nullptr);
// The same of `desk --test-key NAME`.
void add_desk(Cli& cli, KeyByName key_by_name = nullptr);

// `name` is run by the program stopover-lab, which lies beside this one.
void add_sibling(Cli& cli, const std::string& name, const std::string& summary);
// Runs the sibling instead of this process when the command is one of its; returns only if it is not.
// A failure to start it is told and exits.
void run_sibling(int argc, char** argv);

}  // namespace stopover
