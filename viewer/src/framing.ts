// What of a scene the camera shows at first.
import * as THREE from "three";
import type { Frame, Source } from "./source";

// About how large a shape is, m; planes have no size.
function reach(size: number[], kind: string, vertices: Float32Array | undefined): number {
  if (kind === "plane") return 0;
  if (!vertices) return Math.hypot(...size);
  let largest = 0;
  for (let i = 0; i < vertices.length; i += 3) largest = Math.max(largest, Math.hypot(vertices[i], vertices[i + 1], vertices[i + 2]));
  return largest;
}

// Of everything that moves, at the start and at the end; of the world where nothing does. `size`: of a typical body.
export function framing(source: Source, frames: Frame[]): { ball: THREE.Sphere; size: number } {
  let balls: THREE.Sphere[] = [];
  for (const moving of [true, false]) {
    for (const shape of source.model.shapes) {
      if ((shape.body >= 0) !== moving || shape.kind === "plane") continue;
      const r = reach(shape.size, shape.kind, source.surfaces[shape.mesh]?.vertices);
      for (const frame of moving ? frames : frames.slice(0, 1)) {
        const centre = new THREE.Vector3(shape.pose[0], shape.pose[1], shape.pose[2]);
        if (moving) {
          const c = frame.bodies, i = frame.bodyBegin + shape.body;
          centre.applyQuaternion(new THREE.Quaternion(c[3][i], c[4][i], c[5][i], c[6][i]))
            .add(new THREE.Vector3(c[0][i], c[1][i], c[2][i]));
        }
        balls.push(new THREE.Sphere(centre, r));
      }
    }
    balls = balls.filter(({ center, radius }) => Number.isFinite(center.length() + radius));
    if (balls.length > 0) break;
  }
  if (balls.length === 0) balls.push(new THREE.Sphere(new THREE.Vector3(0, 0, 0.5), 1));
  const box = new THREE.Box3();
  for (const { center, radius } of balls) box.expandByPoint(center.clone().addScalar(radius)).expandByPoint(center.clone().subScalar(radius));
  const ball = new THREE.Sphere(box.getCenter(new THREE.Vector3()), 0);
  for (const { center, radius } of balls) ball.radius = Math.max(ball.radius, ball.center.distanceTo(center) + radius);
  const sizes = balls.map(({ radius }) => radius).sort((a, b) => a - b);
  return { ball, size: sizes[sizes.length >> 1] };
}
