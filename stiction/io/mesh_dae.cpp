// COLLADA through assimp; the only file that knows assimp.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>

#include "stiction/io/mesh_file.h"
#include "stiction/math/refuse.h"

namespace stiction {
namespace {

// Depth first without recursion, transforms collected on the way: the name of the part is that of its node.
struct Visit {
  const aiNode* node;
  aiMatrix4x4 to_root;
};

void add_part(const aiMesh& source, const aiMatrix4x4& to_root, const std::string& name, const std::string& file,
              MeshData& mesh) {
  const int base = static_cast<int>(mesh.vertices.size());
  MeshData::Part part{name, static_cast<int>(mesh.triangles.size()), 0};
  for (unsigned k = 0; k < source.mNumVertices; ++k) {
    const aiVector3D v = to_root * source.mVertices[k];
    mesh.vertices.emplace_back(v.x, v.y, v.z);
  }
  for (unsigned k = 0; k < source.mNumFaces; ++k) {
    const aiFace& face = source.mFaces[k];
    if (face.mNumIndices != 3) continue;  // points and lines; polygons are triangulated
    std::array<int, 3> corners;
    for (int c = 0; c < 3; ++c) {
      if (face.mIndices[c] >= source.mNumVertices) refuse(file, ": a face names a vertex that does not exist");
      corners[c] = base + static_cast<int>(face.mIndices[c]);
    }
    mesh.triangles.push_back(corners);
  }
  part.num_triangles = static_cast<int>(mesh.triangles.size()) - part.first_triangle;
  if (mesh.triangles.size() > max_mesh_triangles) refuse(file, ": has more than ", max_mesh_triangles, " triangles");
  if (part.num_triangles > 0) mesh.parts.push_back(part);
}

}  // namespace

MeshData parse_dae(std::string_view text, const std::string& file) {
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, true);
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                                          aiComponent_COLORS | aiComponent_TEXCOORDS |
                                                          aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                                          aiComponent_TEXTURES | aiComponent_LIGHTS |
                                                          aiComponent_CAMERAS | aiComponent_MATERIALS);
  const aiScene* scene = nullptr;
  try {
    scene =
        importer.ReadFileFromMemory(text.data(), text.size(), aiProcess_RemoveComponent | aiProcess_Triangulate, "dae");
  } catch (const std::exception& e) {
    refuse(file, ": ", e.what());
  }
  if (!scene || !scene->mRootNode) refuse(file, ": ", importer.GetErrorString());
  MeshData mesh;
  std::vector<Visit> stack{{scene->mRootNode, scene->mRootNode->mTransformation}};
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    for (unsigned k = 0; k < visit.node->mNumMeshes; ++k) {
      const aiMesh& source = *scene->mMeshes[visit.node->mMeshes[k]];
      add_part(source, visit.to_root, visit.node->mName.C_Str(), file, mesh);
    }
    for (unsigned k = visit.node->mNumChildren; k-- > 0;) {
      const aiNode* child = visit.node->mChildren[k];
      stack.push_back({child, visit.to_root * child->mTransformation});
    }
  }
  return mesh;
}

}  // namespace stiction
