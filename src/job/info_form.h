// A release told in other forms than text and JSON: for a web page, a data portal, a registry.
//
//   markdown   the guarantee card, what is in it, what was spent, and answers to NIST SP 800-226's points
//   html       the same as a page of its own, without scripts
//   dcat       JSON-LD for data portals: a dcat:Dataset after DCAT 3 and mobilityDCAT-AP 1.1
//   registry   an entry for the Differential Privacy Deployments Registry, YAML
//
// Made from the release and its declared description alone. What these do not say is not made up: it is left out, or,
// where a form wants it filled in, stands there as "FILL IN: ...", and `missing` tells it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "release/release.h"
#include "trust/release_papers.h"

namespace stopover {

struct InfoSource {
  std::string path;  // of the release; its last part is its name where there is no title
  const Release& release;
  std::string content;  // the release's content_sha256
  const ReleasePapers& papers;
  std::string url;  // where it can be had; "": not told
};

struct InfoForm {
  std::string text;
  std::vector<std::string> missing;  // sentences: what the form asks for and nobody declared
};

// What `as` can name.
std::vector<std::string> info_forms();

// Fails (usage) for another form, and for a `url` that is none or that the form has no place for.
Result<InfoForm> info_as(std::string_view form, const InfoSource& source);

// One function a form, for info_as.
InfoForm info_markdown(const InfoSource& source);
InfoForm info_html(const InfoSource& source);
InfoForm info_dcat(const InfoSource& source);
InfoForm info_registry(const InfoSource& source);

}  // namespace stopover
