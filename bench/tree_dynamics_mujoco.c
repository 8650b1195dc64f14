// MuJoCo's part of tree_dynamics.py: nanoseconds of CPU for kinematics, bias, M, factor and one solve of a model, and the
// same with J M⁻¹ Jᵀ of points on bodies. Usage: model.xml seconds points_per_body [body …]; the state is the model's
// first keyframe.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void tree(const mjModel* m, mjData* d, mjtNum* a) {
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  mju_scl(a, d->qfrc_bias, -1, (int)m->nv);
  mj_solveM(m, d, a, a, 1);
}

static void points(const mjModel* m, mjData* d, const int* bodies, int num_bodies, int per_body, mjtNum* jacobian,
                   mjtNum* through, mjtNum* root, mjtNum* g) {
  const int nv = (int)m->nv, n = num_bodies * per_body;
  for (int p = 0; p < n; ++p) {
    const int body = bodies[p / per_body];
    const mjtNum local[3] = {p & 1 ? 0.1 : -0.1, p & 2 ? 0.05 : -0.05, -0.1};
    mjtNum point[3];
    mju_mulMatVec3(point, d->xmat + 9 * body, local);
    mju_addTo3(point, d->xpos + 3 * body);
    mj_jac(m, d, jacobian + 3 * p * nv, NULL, point, body);
  }
  for (int i = 0; i < nv; ++i) root[i] = mju_sqrt(d->qLDiagInv[i]);
  mj_solveM2(m, d, through, jacobian, root, 3 * n);
  mju_mulMatMatT(g, through, through, 3 * n, nv, 3 * n);
}

int main(int argc, char** argv) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m || argc < 4) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  const double seconds = atof(argv[2]);
  const int per_body = atoi(argv[3]), num_bodies = argc - 4, rows = 3 * per_body * num_bodies, nv = (int)m->nv;
  int* bodies = malloc(sizeof(int) * (num_bodies + 1));
  for (int i = 0; i < num_bodies; ++i) bodies[i] = mj_name2id(m, mjOBJ_BODY, argv[4 + i]);
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 0);
  mjtNum* a = calloc(nv, sizeof(mjtNum));
  mjtNum *jacobian = calloc(rows * nv + 1, sizeof(mjtNum)), *through = calloc(rows * nv + 1, sizeof(mjtNum));
  mjtNum *root = calloc(nv, sizeof(mjtNum)), *g = calloc(rows * rows + 1, sizeof(mjtNum));
  double best[2] = {1e30, 1e30};
  for (const double end = cpu_time() + seconds; cpu_time() < end;) {
    for (int with_points = 0; with_points < 2; ++with_points) {
      const double start = cpu_time();
      for (int k = 0; k < 200; ++k) {
        tree(m, d, a);
        if (with_points && rows) points(m, d, bodies, num_bodies, per_body, jacobian, through, root, g);
      }
      const double time = (cpu_time() - start) / 200;
      if (time < best[with_points]) best[with_points] = time;
    }
  }
  printf("%.1f %.1f\n", 1e9 * best[0], 1e9 * best[1]);
  return 0;
}
