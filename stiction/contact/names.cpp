#include "stiction/contact/constraint.h"
#include "stiction/contact/model.h"

namespace stiction {

std::string_view to_string(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::frictional:
      return "frictional";
    case ConstraintKind::anisotropic:
      return "anisotropic";
    case ConstraintKind::viscous:
      return "viscous";
    case ConstraintKind::unilateral:
      return "unilateral";
    case ConstraintKind::bilateral:
      return "bilateral";
    case ConstraintKind::dry_friction:
      return "dry_friction";
    case ConstraintKind::torsional:
      return "torsional";
    case ConstraintKind::rolling:
      return "rolling";
  }
  return "unknown";
}

std::string_view to_string(ContactModel model) {
  switch (model) {
    case ContactModel::ncp:
      return "ncp";
    case ContactModel::ccp:
      return "ccp";
    case ContactModel::lcp:
      return "lcp";
    case ContactModel::raisim:
      return "raisim";
    case ContactModel::frictionless:
      return "frictionless";
    case ContactModel::max_dissipation:
      return "max_dissipation";
  }
  return "unknown";
}

}  // namespace stiction
