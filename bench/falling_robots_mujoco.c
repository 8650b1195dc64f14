// MuJoCo's part of falling_robots.py: lets a model fall, writes the pose of every geom at every step and prints the mean
// CPU time of mj_collision in microseconds and the mean number of contacts. Usage: model.xml steps poses.bin
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char** argv) {
  char error[1000] = "";
  if (argc != 4) return 2;
  mjModel* m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData* d = mj_makeData(m);
  FILE* f = fopen(argv[3], "wb");
  if (!f) return 1;
  const int steps = atoi(argv[2]);
  double time = 0.0, contacts = 0.0;
  for (int step = 0; step < steps; ++step) {
    mj_fwdPosition(m, d);
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
      const double start = cpu_time();
      mj_collision(m, d);
      const double used = cpu_time() - start;
      if (used < best) best = used;
    }
    time += best;
    contacts += d->ncon;
    for (int g = 0; g < m->ngeom; ++g) {
      fwrite(d->geom_xpos + 3 * g, sizeof(double), 3, f);
      fwrite(d->geom_xmat + 9 * g, sizeof(double), 9, f);
    }
    mj_step(m, d);
  }
  fclose(f);
  printf("%.6g %.6g\n", 1e6 * time / steps, contacts / steps);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
