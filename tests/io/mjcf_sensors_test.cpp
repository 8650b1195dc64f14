// The list of sensors of a file: every number beside MuJoCo's own, on the same file and in the same state.
#ifdef STICTION_MUJOCO

#include "stiction/io/mjcf/write_mjcf.h"
#include "stiction/sim/sensor_handle.h"
#include "stiction/sim/simulator.h"
#include "tests/io/mjcf_oracle.h"
#include "tests/io/round_trip.h"

namespace stiction {
namespace {

using namespace testing;

// MuJoCo's numbers of a sensor, quaternions turned round.
VectorX expected_of(const Oracle& oracle, const std::string& name) {
  const int k = mj_name2id(oracle.m, mjOBJ_SENSOR, name.c_str());
  VectorX values = ConstVectorMap(oracle.d->sensordata + oracle.m->sensor_adr[k], oracle.m->sensor_dim[k]);
  if (values.size() == 4) {
    values = Eigen::Vector4d(values[1], values[2], values[3], values[0]);
    if (oracle.m->sensor_type[k] == mjSENS_FRAMEQUAT && values[3] < 0.0) values = -values;
  }
  return values;
}

// What pulls and pushes at sites is told otherwise by force sensors: docs/mjcf.md.
bool feels_strings(const Sensor& sensor) {
  return sensor.kind == SensorKind::force || sensor.kind == SensorKind::torque;
}

void expect_same_sensors(const LoadedModel& loaded, const Oracle& oracle, Simulator& simulator, double tolerance,
                         bool strings_pull = false) {
  for (const Sensor& sensor : loaded.model->sensors) {
    if (strings_pull && feels_strings(sensor)) continue;
    const VectorX expected = expected_of(oracle, sensor.name), value = simulator.sensor(sensor.name).values();
    ASSERT_EQ(expected.size(), value.size()) << sensor.name;
    EXPECT_LE((expected - value).cwiseAbs().maxCoeff(), tolerance * std::max(1.0, expected.cwiseAbs().maxCoeff()))
        << sensor.name << ": " << value.transpose() << " instead of " << expected.transpose();
  }
}

// A floating trunk with an arm whose tool is fixed to it, and a second arm on the world.
const std::string robot = R"(<mujoco><compiler angle="radian"/><option magnetic="0.2 -0.1 0.5">
    <flag contact="disable"/></option>
  <worldbody><camera name="eye" pos="0 -2 1"/><site name="corner" pos="1 2 3" quat="0.6 0 0.8 0"/>
    <body name="trunk" pos="0.2 0.1 1" quat="0.8 0 0.6 0"><freejoint/><geom name="chest" type="box" size="0.2 0.1 0.3" pos="0.05 0 0.02"/>
      <site name="imu" pos="0.1 0.05 0.2" quat="0.5 0.5 -0.5 0.5"/>
      <body name="upper" pos="0.2 0 0.1"><joint name="shoulder" type="ball"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
        <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0.2" damping="0.2"/>
          <geom name="forearm" type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03"/>
          <body name="tool" pos="0.3 0 0.1" quat="0.6 0 0 0.8"><geom type="box" size="0.05 0.02 0.1"/><site name="wrist" pos="0 0 0.02" quat="0.8 0.6 0 0"/>
            <body name="finger" pos="0.05 0 0.1"><joint name="grip" type="slide" axis="0 0 1" stiffness="30"/>
              <geom type="sphere" size="0.03" pos="0.1 0 0"/><site name="tip" pos="0.1 0 0.05"/></body></body></body></body></body>
    <body name="plate" pos="-1 0 0"><geom type="box" size="0.2 0.2 0.05"/><site name="foot" pos="0 0 0.05"/>
      <body name="crane" pos="0 0 0.1"><joint name="mast" axis="0.1 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0.5" size="0.05"/></body></body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="elbow" coef="0.3"/><joint joint="grip" coef="2"/></fixed>
    <spatial name="string"><site site="imu"/><site site="tip"/></spatial></tendon>
  <actuator><motor name="motor" joint="elbow" gear="3"/><general name="gained" joint="mast" gainprm="-4" gear="2"/>
    <position name="servo" joint="grip" kp="40" kv="1"/><motor name="pull" tendon="string" gear="0.5"/>
    <motor name="jet" site="imu" gear="1 2 0 0 0.1 0"/></actuator><sensor>)";

const std::string every_sensor = robot + R"(
    <jointpos name="jp" joint="elbow"/><jointvel name="jv" joint="grip"/><jointactuatorfrc name="jf" joint="elbow"/>
    <jointactuatorfrc name="jm" joint="mast"/><ballquat name="bq" joint="shoulder"/><ballangvel name="bv" joint="shoulder"/>
    <tendonpos name="tp" tendon="both"/><tendonvel name="tv" tendon="string"/>
    <actuatorpos name="ap" actuator="gained"/><actuatorvel name="av" actuator="gained"/><actuatorfrc name="af" actuator="gained"/>
    <actuatorpos name="as" actuator="servo"/><actuatorfrc name="afs" actuator="servo"/><actuatorvel name="avm" actuator="motor"/>
    <actuatorpos name="at" actuator="pull"/><actuatorvel name="avt" actuator="pull"/><actuatorfrc name="aft" actuator="pull"/>
    <actuatorvel name="avj" actuator="jet"/><actuatorfrc name="afj" actuator="jet"/>
    <accelerometer name="acc" site="imu"/><accelerometer name="acc2" site="tip"/><gyro name="gyro" site="wrist"/><velocimeter name="vel" site="tip"/>
    <magnetometer name="mag" site="wrist"/><accelerometer name="acc3" site="corner"/>
    <force name="f" site="wrist"/><torque name="t" site="wrist"/><force name="f2" site="tip"/><torque name="t2" site="tip"/>
    <force name="f3" site="foot"/><torque name="t3" site="foot"/><force name="f4" site="imu"/>
    <framepos name="fp" objtype="site" objname="tip"/><framequat name="fq" objtype="site" objname="tip"/>
    <framepos name="fpr" objtype="xbody" objname="tool" reftype="site" refname="imu"/>
    <framequat name="fqr" objtype="body" objname="lower" reftype="body" refname="trunk"/>
    <framexaxis name="fx" objtype="geom" objname="forearm"/><frameyaxis name="fy" objtype="body" objname="crane"/>
    <framezaxis name="fz" objtype="camera" objname="eye" reftype="geom" refname="chest"/>
    <framelinvel name="lv" objtype="body" objname="finger"/><frameangvel name="fav" objtype="body" objname="finger"/>
    <framelinvel name="lvr" objtype="site" objname="tip" reftype="xbody" refname="upper"/>
    <frameangvel name="avr" objtype="site" objname="tip" reftype="xbody" refname="upper"/>
    <framelinacc name="la" objtype="site" objname="tip"/><frameangacc name="aa" objtype="site" objname="tip"/>
    <framelinacc name="law" objtype="site" objname="corner"/>
    <subtreecom name="sc" body="trunk"/><subtreecom name="sct" body="tool"/><subtreelinvel name="sv" body="lower"/>
    <subtreeangmom name="sa" body="tool"/><subtreeangmom name="sat" body="trunk"/><subtreelinvel name="svc" body="plate"/><clock name="now"/>
    <framelinvel name="clip" objtype="site" objname="tip" cutoff="0.1"/></sensor></mujoco>)";

TEST(MjcfSensors, EveryNumberIsThatOfMujoco) {
  const LoadedModel loaded = load_mjcf_string(every_sensor);
  EXPECT_FALSE(tells(loaded, "sensor", "")) << all_of(loaded);
  Oracle oracle = Oracle::of_string(every_sensor);
  ASSERT_EQ(static_cast<std::size_t>(oracle.m->nsensor), loaded.model->sensors.size());
  Simulator simulator(loaded.model, {.time_step = 2e-8});
  for (unsigned seed = 0; seed < 20; ++seed) {
    mj_resetData(oracle.m, oracle.d);
    const bool pulls = seed % 2 == 0;
    const double control[] = {0.7, -0.4, 0.1, pulls ? 2.0 : 0.0, pulls ? 1.5 : 0.0};
    std::copy_n(control, 5, oracle.d->ctrl);
    randomise(oracle, seed);
    simulator.set_position(to_position(*oracle.m, oracle.d->qpos));
    simulator.set_velocity(ConstVectorMap(oracle.d->qvel, oracle.m->nv));
    simulator.set_control(ConstVectorMap(control, 5));
    expect_same_sensors(loaded, oracle, simulator, 2e-6, pulls);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// At rest MuJoCo's soft contacts carry what rigid ones do.
TEST(MjcfSensors, WeightsOnZonesAndRanges) {
  const std::string xml = R"(<mujoco><option timestep="1e-3"/><worldbody><geom name="floor" type="plane" size="5 5 1"/>
      <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.1 0.1" mass="3"/>
        <site name="sole" type="box" pos="0 0 -0.1" size="0.25 0.15 0.02"/>
        <site name="heel" type="box" pos="-0.2 0 -0.1" size="0.05 0.15 0.02"/>
        <site name="below" type="capsule" pos="0.2 0 -0.3" zaxis="0 1 0" size="0.05 0.2"/>
        <site name="above" type="sphere" pos="0.2 0.1 0.3" size="0.05"/>
        <site name="eye" pos="0.3 0 0.05" quat="0 1 0 0"/></body>
      <body name="weight" pos="0.05 0 0.25"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1"/>
        <site name="top" type="sphere" size="1"/></body></worldbody>
    <sensor><touch name="sole" site="sole"/><touch name="heel" site="heel"/><touch name="below" site="below"/>
      <touch name="above" site="above"/><touch name="top" site="top"/><touch name="bound" site="sole" cutoff="20"/>
      <accelerometer name="acc" site="eye"/><rangefinder name="range" site="eye"/><rangefinder name="up" site="top"/>
      </sensor></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  Oracle oracle = Oracle::of_string(xml);
  while (oracle.d->time < 5.0) mj_step(oracle.m, oracle.d);
  mj_forward(oracle.m, oracle.d);
  Simulator simulator(loaded.model);
  simulator.step(1000);
  // Soft contacts sink by some 1e-4 m, which turns the boxes and moves the ray.
  expect_same_sensors(loaded, oracle, simulator, 3e-3);
  EXPECT_NEAR(4 * 9.81, simulator.sensor("sole").value(), 1e-6);
  EXPECT_GT(simulator.sensor("heel").value(), 5.0);
  EXPECT_GT(simulator.sensor("below").value(), 5.0);
  EXPECT_EQ(0.0, simulator.sensor("above").value());
}

TEST(MjcfSensors, DelaysAndNoiseAreRead) {
  const std::string xml = R"(<mujoco><option timestep="1e-3"/><worldbody><body><joint name="j" axis="0 1 0"/>
      <geom size="0.1" pos="0.3 0 0"/></body></worldbody>
    <sensor><jointpos name="late" joint="j" delay="0.01" nsample="12" noise="0.2"/><clock name="time"/></sensor></mujoco>)";
  const LoadedModel loaded = load_mjcf_string(xml);
  Oracle oracle = Oracle::of_string(xml);
  EXPECT_EQ(0.2, loaded.model->sensors[0].noise);
  EXPECT_EQ(0.01, loaded.model->sensors[0].delay);
  Simulator simulator(loaded.model);
  std::vector<double> angles;
  for (int k = 0; k < 40; ++k) {
    angles.push_back(simulator.state().q[0]);
    EXPECT_EQ(angles[static_cast<std::size_t>(std::max(0, k - 10))], simulator.sensor("late").value());
    simulator.step();
  }
}

TEST(MjcfSensors, WhatCannotBeReadIsListedByName) {
  std::string limited = robot;
  limited.insert(limited.find("damping=\"0.2\""), "range=\"-9 9\" ");
  const LoadedModel loaded = load_mjcf_string(limited + R"(
      <jointlimitpos name="limit" joint="elbow"/><e_kinetic name="energy"/><user name="mine" dim="2"/>
      <distance name="gap" geom1="chest" geom2="forearm"/><contact name="contact" geom1="chest"/>
      <tendonactuatorfrc name="pulled" tendon="string"/><clock name="now"/></sensor></mujoco>)");
  EXPECT_EQ(1U, loaded.model->sensors.size());
  for (const auto& [name, reason] : std::vector<std::pair<std::string, std::string>>{{"'limit'", "Dof::lower"},
                                                                                     {"'energy'", "StepReport"},
                                                                                     {"'mine'", "nothing here"},
                                                                                     {"'gap'", "shape_distance"},
                                                                                     {"'contact'", "contact_force"},
                                                                                     {"'pulled'", "actuator_forces"}}) {
    EXPECT_TRUE(tells(loaded, "sensor " + name, reason)) << name << "\n" << all_of(loaded);
  }
  EXPECT_NE(message_of([] {
              load_mjcf_string(robot + R"(<gyro name="g" site="nowhere"/></sensor></mujoco>)");
            }).find("nowhere"),
            std::string::npos);
}

// Written and read again they tell the same, but for those that carry a part of a body or have a scale.
TEST(MjcfSensors, TheListIsWritten) {
  const LoadedModel loaded = load_mjcf_string(every_sensor);
  const RoundTrip trip =
      make_round_trip(*loaded.model, "robot.xml", write_mjcf, [](const std::string& path) { return load_mjcf(path); });
  Simulator first(loaded.model, {.time_step = 1e-4}), second(trip.loaded.model, {.time_step = 1e-4});
  VectorX q = loaded.model->initial_position, v = VectorX::LinSpaced(loaded.model->num_velocities(), -0.5, 0.7);
  for (Simulator* s : {&first, &second}) s->set_position(q), s->set_velocity(v);
  int written = 0;
  for (const Sensor& sensor : loaded.model->sensors) {
    if (mentions(trip.written.lost, "sensor '" + sensor.name + "'")) {
      EXPECT_TRUE(sensor.scale != 1.0 || !sensor.part.is_whole) << sensor.name;
      continue;
    }
    ++written;
    const VectorX a = first.sensor(sensor.name).values(), b = second.sensor(sensor.name).values();
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, a.cwiseAbs().maxCoeff()))
        << sensor.name << ": " << a.transpose() << " and " << b.transpose();
  }
  EXPECT_EQ(44, written);
}

TEST(MjcfSensors, PrefixesReachThem) {
  LoadOptions options;
  options.prefix = "left/";
  const LoadedModel loaded = load_mjcf_string(every_sensor, options);
  const Sensor& sensor = loaded.model->sensors[static_cast<std::size_t>(loaded.model->find_sensor("left/acc"))];
  EXPECT_EQ("left/imu", loaded.model->frames[static_cast<std::size_t>(sensor.frame)].name);
}

}  // namespace
}  // namespace stiction

#endif
