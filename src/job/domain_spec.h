// DomainSpec: the domain of a bare matrix, as it is declared. Nothing of it is ever taken from the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/degree_box.h"
#include "domain/domain.h"
#include "job/field_values.h"

namespace stopover {

struct DomainSpec {
  std::vector<std::uint64_t> shape;  // cells of every axis; empty: not declared
  std::vector<std::string> stops;    // names: the axes in equal groups; empty: every axis is a stop
  std::optional<DegreeBox> box;      // each stop is a longitude and a latitude; unset: plain cells

  bool declared() const { return !shape.empty() || !stops.empty() || box; }
};

// Fails (privacy) where the shape is missing, (usage) where the fields do not go together.
Result<Domain> declared_domain(const DomainSpec& spec);
// The same from the fields of a face, of which there are no others.
Result<Domain> declared_domain(const FieldValues& values);

// Fields shape ("32x32", or a list of cells), stops and bbox. Fails (privacy) where one is to be inferred ("auto").
void read_domain(FieldReader& fields, DomainSpec& spec);
// Field bbox: "W,S,E,N", or four numbers.
void read_box(FieldReader& fields, std::optional<DegreeBox>& box);

}  // namespace stopover
