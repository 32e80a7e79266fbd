#include "geo/h3_cell.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/portable_math.h"

namespace stopover {
namespace {

// H3 lays a grid of hexagons on every face of an icosahedron and projects it to the globe from its centre. Below, a
// place is a face and a point of its plane: the face's centre is 0, its first corner 2 to the right, the others 120
// degrees apart counterclockwise; neighbouring hexagons of resolution 0 are 1 apart.
constexpr double kHalfRoot3 = 0.86602540378443864676;
constexpr double kDegrees = 57.295779513082320877;
// Tangent of the angle at the globe's centre for a step of 1 from the middle of a face.
constexpr double kUnit = 0.38196601125010500003;

// Points of a plane as complex numbers.
PlanePoint operator+(PlanePoint a, PlanePoint b) { return {a.x + b.x, a.y + b.y}; }
PlanePoint operator-(PlanePoint a, PlanePoint b) { return {a.x - b.x, a.y - b.y}; }
PlanePoint operator*(PlanePoint a, PlanePoint b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
PlanePoint operator*(double s, PlanePoint a) { return {s * a.x, s * a.y}; }
PlanePoint conjugate(PlanePoint a) { return {a.x, -a.y}; }

constexpr std::array<PlanePoint, 3> kCorner = {{{1, 0}, {-0.5, kHalfRoot3}, {-0.5, -kHalfRoot3}}};  // halves
constexpr PlanePoint kSixth = {0.5, kHalfRoot3};  // 60 degrees to the left

struct Space {
  double x = 0, y = 0, z = 0;
};
Space operator+(Space a, Space b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Space operator*(double s, Space a) { return {s * a.x, s * a.y, s * a.z}; }
double dot(Space a, Space b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Space unit(Space a) { return 1 / std::sqrt(dot(a, a)) * a; }
Space cross(Space a, Space b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

// The icosahedron's corners; corner 11 - i is opposite corner i.
constexpr std::array<Space, 6> kHalfCorners = {{{0.42015242670871017, 0.078145249402783348, 0.90408255061501919},
                                                {-0.51545595994404148, -0.38171689828713307, 0.76720099251774765},
                                                {-0.41468222532033522, 0.65596240543480056, 0.63067580789147537},
                                                {0.35578140253294438, -0.84358000246617826, 0.4022342266029254},
                                                {0.51883673032736455, 0.83542038037823585, 0.18133183755726209},
                                                {0.99500943943624154, -0.091347795276427932, 0.040147175877166555}}};
// The faces' corners, counterclockwise from outside, the one on the first axis first.
using FaceCorners = std::array<int, 3>;
constexpr std::array<FaceCorners, 20> kFaces = {{{0, 1, 3},  {0, 2, 1},  {0, 3, 5},   {0, 4, 2},  {0, 5, 4},
                                                 {1, 6, 7},  {2, 8, 6},  {3, 7, 9},   {4, 10, 8}, {5, 9, 10},
                                                 {6, 1, 2},  {7, 3, 1},  {8, 2, 4},   {9, 5, 3},  {10, 4, 5},
                                                 {11, 6, 8}, {11, 7, 6}, {11, 8, 10}, {11, 9, 7}, {11, 10, 9}}};
// Where the cells of resolution 0 lie: the face, and which of kPlaces in its plane.
struct BaseCell {
  std::uint8_t face, place;
};
constexpr std::array<BaseCell, 122> kBaseCells = {
    {{1, 1},  {0, 4},  {1, 0},  {0, 1},  {3, 7},  {1, 4},  {1, 3},  {0, 0},  {3, 1},  {0, 2},  {1, 2},  {1, 6},
     {2, 1},  {2, 4},  {5, 7},  {4, 1},  {3, 0},  {10, 2}, {3, 3},  {0, 6},  {11, 3}, {0, 3},  {3, 4},  {10, 3},
     {6, 7},  {10, 0}, {2, 0},  {5, 1},  {4, 4},  {2, 2},  {3, 6},  {4, 0},  {12, 2}, {3, 2},  {11, 2}, {5, 4},
     {11, 0}, {6, 1},  {7, 7},  {10, 5}, {11, 5}, {4, 3},  {2, 3},  {2, 6},  {4, 2},  {10, 1}, {5, 0},  {13, 3},
     {12, 3}, {8, 7},  {12, 0}, {7, 1},  {6, 4},  {4, 6},  {7, 4},  {11, 1}, {5, 2},  {6, 0},  {9, 7},  {6, 3},
     {5, 3},  {14, 2}, {13, 2}, {10, 7}, {13, 0}, {14, 3}, {8, 1},  {12, 5}, {16, 6}, {13, 5}, {12, 1}, {7, 0},
     {11, 7}, {7, 2},  {6, 2},  {14, 0}, {9, 1},  {16, 3}, {15, 6}, {15, 2}, {16, 2}, {8, 4},  {9, 4},  {12, 7},
     {13, 1}, {8, 0},  {14, 5}, {8, 3},  {18, 3}, {7, 3},  {16, 0}, {18, 6}, {15, 3}, {16, 5}, {14, 1}, {15, 0},
     {9, 0},  {13, 7}, {9, 2},  {18, 5}, {17, 2}, {8, 2},  {17, 6}, {18, 2}, {9, 3},  {18, 0}, {16, 1}, {14, 7},
     {15, 5}, {15, 1}, {19, 6}, {19, 3}, {17, 3}, {18, 1}, {17, 0}, {19, 2}, {19, 5}, {17, 7}, {17, 1}, {19, 0},
     {17, 5}, {19, 1}}};
// Steps along the three axes, which are 120 degrees apart. The last is a corner of the icosahedron: a pentagon.
using Steps = std::array<std::int64_t, 3>;
constexpr std::array<Steps, 8> kPlaces = {
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}}};
constexpr int kPentagon = 7;
// What a digit adds: the centre, then the six neighbours.
constexpr std::array<Steps, 7> kDigits = {
    {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 0}}};

Space corner(int number) {
  return number < 6 ? kHalfCorners[static_cast<std::size_t>(number)]
                    : -1 * kHalfCorners[static_cast<std::size_t>(11 - number)];
}

struct Spot {
  std::size_t face = 0;
  PlanePoint at;
};

PlanePoint on_globe(const Spot& spot) {
  const FaceCorners& face = kFaces[spot.face];
  const Space first = corner(face[0]), middle = unit(first + corner(face[1]) + corner(face[2]));
  const Space right = unit(first + -dot(first, middle) * middle), up = cross(middle, right);
  const Space p = middle + kUnit * (spot.at.x * right + spot.at.y * up);
  return {portable_atan2(p.y, p.x) * kDegrees, portable_atan2(p.z, std::sqrt(p.x * p.x + p.y * p.y)) * kDegrees};
}

int index_of(const FaceCorners& face, int number) { return face[0] == number ? 0 : face[1] == number ? 1 : 2; }
bool has(const FaceCorners& face, int number) { return face[0] == number || face[1] == number || face[2] == number; }

// Over an edge at the face's corner `which` to the next face, to the left (counterclockwise) or right about that
// corner: the plane of that face turned into line with this one's.
Spot turned(const Spot& spot, int which, bool left) {
  const FaceCorners& face = kFaces[spot.face];
  const int about = face[static_cast<std::size_t>(which)];
  const int other = face[static_cast<std::size_t>((which + (left ? 2 : 1)) % 3)];
  std::size_t next = 0;
  while (next == spot.face || !has(kFaces[next], about) || !has(kFaces[next], other)) ++next;
  const PlanePoint from = kCorner[static_cast<std::size_t>(which)];
  const PlanePoint to = kCorner[static_cast<std::size_t>(index_of(kFaces[next], about))];
  // Seen from the corner, with 1 for half the way to the middle of the face... the way to the middle is -2 corners.
  const PlanePoint seen = (spot.at - 2 * from) * conjugate(-1 * from);
  return {next, 2 * to + seen * (left ? conjugate(kSixth) : kSixth) * (-1 * to)};
}

// A point beyond an edge of the face belongs to the face on the other side.
Spot placed(Spot spot) {
  for (int moves = 0; moves < 3; ++moves) {
    double most = 1e-12;
    int opposite = -1;
    for (int c = 0; c < 3; ++c) {
      const PlanePoint& to = kCorner[static_cast<std::size_t>(c)];
      const double beyond = -(spot.at.x * to.x + spot.at.y * to.y) - 1;  // edges are 1 from the middle
      if (beyond > most) {
        most = beyond;
        opposite = c;
      }
    }
    if (opposite < 0) break;
    spot = turned(spot, (opposite + 1) % 3, false);
  }
  return spot;
}

// About a corner of the icosahedron there are five faces, not six: the part of the plane in direction 1 is missing. How
// far to turn to the left about the corner, in sixths of the plane and in faces, to come from the base cell's face to
// that in direction `lead`.
Spot placed_about_pentagon(Spot spot, int lead) {
  struct Turn {
    int sixths, faces;
  };
  constexpr std::array<Turn, 7> kTurns = {{{0, 0}, {0, 0}, {-1, -1}, {0, 0}, {-3, -3}, {2, 1}, {-2, -2}}};
  const Turn turn = kTurns[static_cast<std::size_t>(lead)];
  // Turned so far in the plane that it lies before the corner; then the faces are walked, each of which turns again.
  PlanePoint seen = -1 * (spot.at - PlanePoint{2, 0});
  for (int i = 0; i < std::abs(turn.sixths); ++i) seen = seen * (turn.sixths > 0 ? conjugate(kSixth) : kSixth);
  int faces = turn.faces;
  const double edge = seen.x * kHalfRoot3 / 1.5;
  if (seen.y > edge + 1e-12) {
    seen = seen * conjugate(kSixth);
    ++faces;
  } else if (seen.y < -edge - 1e-12) {
    seen = seen * kSixth;
    --faces;
  }
  const int about = kFaces[spot.face][0];
  Spot walk{spot.face, {}};
  for (int i = 0; i < std::abs(faces); ++i) walk = turned(walk, index_of(kFaces[walk.face], about), faces > 0);
  const PlanePoint& to = kCorner[static_cast<std::size_t>(index_of(kFaces[walk.face], about))];
  return {walk.face, 2 * to + seen * (-1 * to)};
}

// Where the straight line between two points of neighbouring faces meets the edge between them, if not at its ends.
std::optional<Spot> bend(const Spot& a, const Spot& b) {
  if (a.face == b.face) return {};
  const FaceCorners &from = kFaces[a.face], &to = kFaces[b.face];
  for (int c = 0; c < 3; ++c) {
    if (has(to, from[static_cast<std::size_t>(c)])) continue;
    // The edge is opposite corner c; b's face turned about the corner after it into the plane of a's.
    const int about = from[static_cast<std::size_t>((c + 1) % 3)];
    const Spot back = turned(b, index_of(to, about), true);
    if (back.face != a.face) return {};
    const PlanePoint& normal = kCorner[static_cast<std::size_t>(c)];
    const double before = a.at.x * normal.x + a.at.y * normal.y + 1;
    const double after = back.at.x * normal.x + back.at.y * normal.y + 1;
    const double share = before / (before - after);
    if (!(share > 1e-9 && share < 1 - 1e-9)) return {};
    return Spot{a.face, a.at + share * (back.at - a.at)};
  }
  return {};
}

double billionths(double degrees) {
  const double units = degrees * 1e9;
  return static_cast<double>(static_cast<std::int64_t>(units + (units < 0 ? -0.5 : 0.5))) / 1e9;
}

// A cell in the plane of its base cell's face.
struct Flat {
  PlanePoint middle;   // on the grid of the cell's own resolution
  PlanePoint to_face;  // turns and shrinks that grid to resolution 0's
  int lead = 0;        // the first digit that is not 0
};

}  // namespace

std::optional<H3Cell> H3Cell::parse(std::string_view id) {
  if (id.size() != 15) return {};
  std::uint64_t bits = 0;
  for (const char c : id) {
    const bool number = c >= '0' && c <= '9', letter = (c | 32) >= 'a' && (c | 32) <= 'f';
    if (!number && !letter) return {};
    bits = bits << 4 | static_cast<std::uint64_t>(number ? c - '0' : (c | 32) - 'a' + 10);
  }
  const H3Cell cell(bits);
  if (bits >> 56 != 0x8 || cell.base() >= 122) return {};  // a cell, nothing in the reserved bits
  bool led = false;
  for (int r = 1; r <= 15; ++r) {
    const int digit = cell.digit(r);
    if ((digit == 7) != (r > cell.resolution())) return {};
    if (!led && digit == 1 && kBaseCells[static_cast<std::size_t>(cell.base())].place == kPentagon) return {};
    led = led || digit != 0;
  }
  return cell;
}

int H3Cell::resolution() const { return static_cast<int>(bits_ >> 52 & 15); }
int H3Cell::base() const { return static_cast<int>(bits_ >> 45 & 127); }
int H3Cell::digit(int resolution) const { return static_cast<int>(bits_ >> (45 - 3 * resolution) & 7); }

namespace {

// From one resolution to the next each step becomes sqrt(7) long and the grid turns by asin(sqrt(3/28)), to one side
// and back in turn: along the axes, three steps on this one and one on a neighbour.
template <typename Digit>
Flat flat_of(Steps steps, int resolution, Digit digit) {
  Flat flat;
  double shrink = 1;
  for (int r = 1; r <= resolution; ++r) {
    const auto [i, j, k] = steps;
    steps = r % 2 == 1 ? Steps{3 * i + j, 3 * j + k, 3 * k + i} : Steps{3 * i + k, 3 * j + i, 3 * k + j};
    for (std::size_t axis = 0; axis < 3; ++axis) steps[axis] += kDigits[static_cast<std::size_t>(digit(r))][axis];
    if (flat.lead == 0) flat.lead = digit(r);
    shrink /= std::sqrt(7.0);
  }
  const auto i = static_cast<double>(steps[0] - steps[2]), j = static_cast<double>(steps[1] - steps[2]);
  flat.middle = {i - 0.5 * j, j * kHalfRoot3};
  const double turn = 2 * std::sqrt(7.0);
  flat.to_face =
      resolution % 2 == 1 ? PlanePoint{5 / turn * shrink, 2 * kHalfRoot3 / turn * shrink} : PlanePoint{shrink, 0};
  return flat;
}

}  // namespace

PlanePoint H3Cell::centre() const {
  const BaseCell& home = kBaseCells[static_cast<std::size_t>(base())];
  const Flat flat = flat_of(kPlaces[home.place], resolution(), [&](int r) { return digit(r); });
  const Spot spot{home.face, flat.middle * flat.to_face};
  return on_globe(home.place == kPentagon && flat.lead != 0 ? placed_about_pentagon(spot, flat.lead) : placed(spot));
}

Ring H3Cell::boundary() const {
  const BaseCell& home = kBaseCells[static_cast<std::size_t>(base())];
  const Flat flat = flat_of(kPlaces[home.place], resolution(), [&](int r) { return digit(r); });
  std::vector<Spot> spots;
  PlanePoint arm = {0.5, kHalfRoot3 / 3};  // to a hexagon's corner: 1 / sqrt(3) long, at 30 degrees
  for (int c = 0; c < 6; ++c, arm = arm * kSixth) {
    const Spot spot{home.face, (flat.middle + arm) * flat.to_face};
    if (home.place != kPentagon) {
      spots.push_back(placed(spot));
    } else if (flat.lead != 0) {
      spots.push_back(placed_about_pentagon(spot, flat.lead));
    } else if (c < 5) {  // the pentagon itself: its first corner, on each of the five faces about it
      const PlanePoint first = PlanePoint{0.5, kHalfRoot3 / 3} * flat.to_face;
      Spot walk = {home.face, PlanePoint{2, 0} - first};
      const double edge = first.x * kHalfRoot3 / 1.5;
      if (first.y > edge + 1e-12) walk = {home.face, PlanePoint{2, 0} - first * conjugate(kSixth)};
      const int about = kFaces[home.face][0];
      Spot face = {home.face, {}};
      for (int i = 0; i < c; ++i) face = turned(face, index_of(kFaces[face.face], about), true);
      const PlanePoint& to = kCorner[static_cast<std::size_t>(index_of(kFaces[face.face], about))];
      spots.push_back({face.face, 2 * to + (PlanePoint{2, 0} - walk.at) * (-1 * to)});
    }
  }
  Ring ring;
  const auto add = [&](const Spot& spot) {
    const PlanePoint p = on_globe(spot);
    ring.push_back({billionths(p.x), billionths(p.y)});
  };
  for (std::size_t c = 0; c < spots.size(); ++c) {
    add(spots[c]);
    if (resolution() % 2 == 0) continue;  // these grids' edges run along the faces' edges and meet them at corners
    if (const std::optional<Spot> at = bend(spots[c], spots[(c + 1) % spots.size()])) add(*at);
  }
  ring.push_back(ring.front());
  return ring;
}

Result<Shape> H3Cell::shape(std::string_view what) const {
  const Ring ring = boundary();
  for (std::size_t i = 1; i < ring.size(); ++i) {
    if (std::abs(ring[i].x - ring[i - 1].x) <= 180) continue;
    return Error{Failure::bad_input,
                 std::string(what) +
                     " reaches over the 180th meridian or a pole\n  Leave it out: its border cannot be "
                     "written in degrees."};
  }
  return Shape{{{ring}}};
}

}  // namespace stopover
