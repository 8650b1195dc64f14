// Bodies on the stage: one instanced mesh for all shapes of one geometry.
import * as THREE from "three";
import type { Frame, ShapeInfo, Source } from "./source";
import { BODY_COLORS, type SceneColors } from "./theme";

export type Coloring = "model" | "bodies";

interface Group { mesh: THREE.InstancedMesh; shapes: number[] }

const unit = new THREE.Vector3(1, 1, 1);

// Geometry of unit size where scaling can make the others; what a shape is scaled by.
function geometryOf(shape: ShapeInfo, source: Source): { key: string; scale: THREE.Vector3; make: () => THREE.BufferGeometry } {
  const s = shape.size;
  switch (shape.kind) {
    case "box":
      return { key: "box", scale: new THREE.Vector3(2 * s[0], 2 * s[1], 2 * s[2]), make: () => new THREE.BoxGeometry() };
    case "sphere":
      return { key: "sphere", scale: new THREE.Vector3(s[0], s[0], s[0]), make: () => new THREE.SphereGeometry(1, 40, 24) };
    case "ellipsoid":
      return { key: "sphere", scale: new THREE.Vector3(s[0], s[1], s[2]), make: () => new THREE.SphereGeometry(1, 40, 24) };
    case "cylinder":
      return {
        key: "cylinder", scale: new THREE.Vector3(s[0], s[0], 2 * s[1]),
        make: () => new THREE.CylinderGeometry(1, 1, 1, 48).rotateX(Math.PI / 2),
      };
    case "capsule":
      return {
        key: `capsule ${s[0]} ${s[1]}`, scale: unit,
        make: () => new THREE.CapsuleGeometry(s[0], 2 * s[1], 12, 32).rotateX(Math.PI / 2),
      };
    case "plane":
      return { key: "plane", scale: unit, make: () => new THREE.PlaneGeometry(1, 1) };
    default:
      return { key: `mesh ${shape.mesh}`, scale: unit, make: () => surfaceGeometry(source, shape.mesh) };
  }
}

// Flat triangles: hulls and terrain have edges that a smooth shading would hide.
function surfaceGeometry(source: Source, mesh: number): THREE.BufferGeometry {
  const { vertices, triangles } = source.surfaces[mesh];
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
  indexed.setIndex(new THREE.BufferAttribute(triangles, 1));
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

// Lines at round lengths, fading with the distance, on what has no end.
function gridMaterial(colors: SceneColors, cell: number): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ color: colors.ground, roughness: 0.95, side: THREE.DoubleSide });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.lineColor = { value: new THREE.Color(colors.line) };
    shader.uniforms.cell = { value: cell };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vPlane;")
      .replace("#include <begin_vertex>",
        "#include <begin_vertex>\nvPlane = position.xy * vec2(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz));");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vPlane;\nuniform vec3 lineColor;\nuniform float cell;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec2 across = vPlane / cell;
        vec2 width = fwidth(across);
        vec2 distance = abs(fract(across - 0.5) - 0.5) / max(width, 1e-6);
        float line = 1.0 - min(min(distance.x, distance.y), 1.0);
        diffuseColor.rgb = mix(diffuseColor.rgb, lineColor, line * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y))));`);
  };
  return material;
}

// Thin edges, so that boxes side by side stay apart.
function addEdges(material: THREE.MeshStandardMaterial): void {
  material.defines = { ...material.defines, USE_UV: "" };
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>
      vec2 inside = min(vUv, 1.0 - vUv) / max(fwidth(vUv), 1e-6);
      diffuseColor.rgb *= mix(0.45, 1.0, smoothstep(0.4, 1.6, min(inside.x, inside.y)));`);
  };
}

export class ShapeLayer {
  readonly root = new THREE.Group();
  private readonly groups: Group[] = [];
  private readonly local: THREE.Matrix4[] = [];
  private readonly pose: THREE.Matrix4[];
  private readonly selection = new THREE.Group();
  private selected = -1;
  private last: Frame | undefined;

  constructor(private readonly source: Source, private readonly extent: number) {
    this.pose = source.model.bodies.map(() => new THREE.Matrix4());
    this.root.add(this.selection);
  }

  // Whether the file tells bodies apart by colour.
  get hasColors(): boolean {
    const used = new Set(this.source.model.shapes.filter((s) => s.body >= 0).map((s) => s.color.slice(0, 3).join()));
    return used.size > 1 || this.source.model.bodies.length < 2;
  }

  build(colors: SceneColors, coloring: Coloring, opacity: number): void {
    for (const { mesh } of this.groups) {
      this.root.remove(mesh);
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    this.groups.length = 0;
    const members = new Map<string, number[]>();
    this.source.model.shapes.forEach((shape, i) => {
      const alpha = shape.color[3] * (shape.body < 0 ? 1 : opacity);
      const key = `${geometryOf(shape, this.source).key} ${alpha} ${shape.body < 0}`;
      members.set(key, [...(members.get(key) ?? []), i]);
    });
    for (const shapes of members.values()) this.groups.push(this.makeGroup(shapes, colors, coloring, opacity));
    if (this.last) this.show(this.last);
    this.select(this.selected, colors);
  }

  private makeGroup(shapes: number[], colors: SceneColors, coloring: Coloring, opacity: number): Group {
    const first = this.source.model.shapes[shapes[0]];
    const isWorld = first.body < 0;
    const alpha = first.color[3] * (isWorld ? 1 : opacity);
    const isPlane = first.kind === "plane";
    const material = isPlane ? gridMaterial(colors, gridCell(this.extent))
      : new THREE.MeshStandardMaterial({
        roughness: 0.6, metalness: 0.02, transparent: alpha < 1, opacity: alpha, depthWrite: alpha >= 0.5,
        side: first.kind === "triangle_mesh" || first.kind === "height_field" ? THREE.DoubleSide : THREE.FrontSide,
      });
    if (first.kind === "box") addEdges(material);
    const mesh = new THREE.InstancedMesh(geometryOf(first, this.source).make(), material, shapes.length);
    mesh.castShadow = !isPlane && alpha > 0.3;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    shapes.forEach((shape, instance) => {
      const info = this.source.model.shapes[shape];
      const color = new THREE.Color();
      if (isPlane) color.set("#ffffff");
      else if (coloring === "bodies" && !isWorld) color.set(BODY_COLORS[info.body % BODY_COLORS.length]);
      else color.setRGB(info.color[0], info.color[1], info.color[2], THREE.SRGBColorSpace);
      mesh.setColorAt(instance, color);
      const p = info.pose, scale = geometryOf(info, this.source).scale.clone();
      if (isPlane) scale.set(60 * this.extent, 60 * this.extent, 1);
      this.local[shape] = new THREE.Matrix4().compose(
        new THREE.Vector3(p[0], p[1], p[2]), new THREE.Quaternion(p[3], p[4], p[5], p[6]), scale);
      if (isWorld) mesh.setMatrixAt(instance, this.local[shape]);
    });
    this.root.add(mesh);
    return { mesh, shapes };
  }

  show(frame: Frame): void {
    this.last = frame;
    const position = new THREE.Vector3(), rotation = new THREE.Quaternion(), matrix = new THREE.Matrix4();
    const c = frame.bodies;
    for (let b = 0; b < this.pose.length; ++b) {
      const i = frame.bodyBegin + b;
      position.set(c[0][i], c[1][i], c[2][i]);
      rotation.set(c[3][i], c[4][i], c[5][i], c[6][i]);
      this.pose[b].compose(position, rotation, unit);
    }
    for (const { mesh, shapes } of this.groups) {
      if (this.source.model.shapes[shapes[0]].body < 0) continue;
      shapes.forEach((shape, instance) => {
        const body = this.source.model.shapes[shape].body;
        mesh.setMatrixAt(instance, matrix.multiplyMatrices(this.pose[body], this.local[shape]));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    if (this.selected >= 0) this.selection.matrix.copy(this.pose[this.selected]);
  }

  bodyPosition(body: number): THREE.Vector3 {
    return new THREE.Vector3().setFromMatrixPosition(this.pose[body]);
  }

  // Where the frame's body stands.
  bodyPose(body: number): THREE.Matrix4 { return this.pose[body]; }

  // Edges of the selected body; -1: none.
  select(body: number, colors: SceneColors): void {
    this.selected = body;
    for (const child of [...this.selection.children]) {
      (child as THREE.LineSegments).geometry.dispose();
      this.selection.remove(child);
    }
    if (body < 0) return;
    this.source.model.shapes.forEach((shape, i) => {
      if (shape.body !== body) return;
      const edges = new THREE.EdgesGeometry(geometryOf(shape, this.source).make(), 20);
      const lines = new THREE.LineSegments(edges, new THREE.LineBasicMaterial({ color: colors.selection, depthTest: false, transparent: true }));
      lines.matrixAutoUpdate = false;
      lines.matrix.copy(this.local[i]);
      lines.renderOrder = 5;
      this.selection.add(lines);
    });
    this.selection.matrixAutoUpdate = false;
    this.selection.matrix.copy(this.pose[body]);
  }

  // The nearest body under a ray; -1 for the world, undefined for nothing. Walls of glass are looked through.
  pick(ray: THREE.Raycaster): { body: number; shape: number; distance: number } | undefined {
    let best: { body: number; shape: number; distance: number } | undefined;
    for (const { mesh, shapes } of this.groups) {
      const isGlass = this.source.model.shapes[shapes[0]].body < 0 && (mesh.material as THREE.Material).opacity < 0.6;
      if (isGlass) continue;
      mesh.boundingSphere = null;  // of another frame
      for (const hit of ray.intersectObject(mesh, false)) {
        if (best && hit.distance >= best.distance) continue;
        const shape = shapes[hit.instanceId!];
        best = { shape, body: this.source.model.shapes[shape].body, distance: hit.distance };
      }
    }
    return best;
  }
}

// A round length between grid lines that suits the size of the scene.
function gridCell(extent: number): number {
  const wanted = Math.max(extent, 1e-6) / 3, power = 10 ** Math.floor(Math.log10(wanted));
  return power * (wanted < 2 * power ? 1 : wanted < 5 * power ? 2 : 5);
}
