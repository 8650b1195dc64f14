// The model as the page takes it: JSON, and the surfaces of hulls, meshes and height fields as columns.
#pragma once

#include "stiction/model/model.h"
#include "stiction/viewer/column_codec.h"
#include "stiction/viewer/json_text.h"

namespace stiction::viewer {

// Adds the members "gravity", "bodies", "shapes" and "meshes". A shape of a surface names its mesh; shapes that share a
// surface share the mesh. Returns the meshes one after the other: x, y, z of the vertices as columns, then corners of
// the triangles as integers, each less the one before.
Bytes add_model(const Model& model, JsonText& json);

}  // namespace stiction::viewer
