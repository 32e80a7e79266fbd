#include "question/tables.h"

#include "question/table_maker.h"

namespace stopover {

Result<Reply> table_of(const QueryEngine& engine, const Request& request) {
  TableMaker tables(engine, request);
  switch (request.ask) {
    case Ask::share:
      return tables.share();
    case Ask::top:
      return tables.top();
    case Ask::given:
      return tables.given();
    case Ask::totals:
      return tables.totals();
    default:
      return tables.matrix();
  }
}

}  // namespace stopover
