#include "cli/compare_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace stiction::cli {
namespace {

// Of the runs in their order, as in the page (viewer/src/compare_colors.ts); more than these begin again.
constexpr std::array<Color, 10> run_colors = {{{23, 32, 42},
                                               {229, 72, 77},
                                               {240, 138, 29},
                                               {47, 127, 224},
                                               {47, 158, 91},
                                               {124, 92, 214},
                                               {214, 36, 159},
                                               {14, 154, 167},
                                               {176, 137, 0},
                                               {139, 149, 161}}};
Color color_of(std::size_t run) {
  return run_colors[run % run_colors.size()];
}

struct Chart {
  const char* title;
  std::vector<double> ComparedSeries::* column;
  double floor;  // of a logarithmic axis, where smaller values are drawn too; 0: the axis is linear
  double limit;  // a dashed line; 0: none
};

struct Area {
  double left, top, width, height;
};

struct Range {
  double low = 0.0, high = 1.0;
  double place(double value) const { return (value - low) / (high - low); }  // 0 … 1
};

double to_axis(const Chart& chart, double value) {
  return chart.floor > 0.0 ? std::log10(std::max(value, chart.floor)) : value;
}

Range values_of(const Chart& chart, const ComparisonHistory& history) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < history.num_runs(); ++k) {
    for (const double value : history.run(k).*chart.column) {
      const double at = to_axis(chart, value);
      if (std::isfinite(at)) low = std::min(low, at), high = std::max(high, at);
    }
  }
  if (!(low <= high)) return {};
  if (chart.floor > 0.0) return {std::floor(low), std::max(std::ceil(high), std::floor(low) + 1.0)};
  const double margin = std::max(0.05 * (high - low), 1e-9 * std::max(std::abs(low), std::abs(high)) + 1e-12);
  return {low - margin, high + margin};
}

Range times_of(const ComparisonHistory& history) {
  double low = INFINITY, high = -INFINITY;
  for (int k = 0; k < history.num_runs(); ++k) {
    const std::vector<double>& time = history.run(k).time;
    if (!time.empty()) low = std::min(low, time.front()), high = std::max(high, time.back());
  }
  if (!(low <= high)) return {};
  return {low, std::max(high, low + 1e-9)};
}

// A round length that goes into the range three to seven times.
double tick_length(const Range& range) {
  const double wanted = (range.high - range.low) / 5.0, power = std::pow(10.0, std::floor(std::log10(wanted)));
  return power * (wanted < 1.5 * power ? 1.0 : wanted < 3.5 * power ? 2.0 : wanted < 7.5 * power ? 5.0 : 10.0);
}

std::string label(double value, double tick, bool is_power) {
  char text[32];
  if (is_power) {
    std::snprintf(text, sizeof text, "1e%d", static_cast<int>(std::lround(value)));
  } else {
    std::snprintf(text, sizeof text, "%.4g", std::abs(value) < 1e-9 * tick ? 0.0 : value);
  }
  return text;
}

void draw_axes(Image& image, const Area& area, const Chart& chart, const Range& time, const Range& values) {
  const Palette& palette = Palette::light();
  const double time_tick = tick_length(time);
  for (double t = std::ceil(time.low / time_tick) * time_tick; t <= time.high; t += time_tick) {
    const double x = area.left + time.place(t) * area.width;
    image.draw_line(x, area.top, x, area.top + area.height, palette.line);
    const std::string text = label(t, time_tick, false);
    image.draw_text(static_cast<int>(x) - Image::text_width(text) / 2, static_cast<int>(area.top + area.height) + 6,
                    text, palette.faint);
  }
  const bool is_power = chart.floor > 0.0;
  const double tick = is_power ? std::max(1.0, std::ceil((values.high - values.low) / 6.0)) : tick_length(values);
  for (double v = std::ceil(values.low / tick) * tick; v <= values.high; v += tick) {
    const double y = area.top + (1.0 - values.place(v)) * area.height;
    image.draw_line(area.left, y, area.left + area.width, y, palette.line);
    const std::string text = label(v, tick, is_power);
    image.draw_text(static_cast<int>(area.left) - 8 - Image::text_width(text), static_cast<int>(y) - 7, text,
                    palette.faint);
  }
}

void draw_limit(Image& image, const Area& area, const Chart& chart, const Range& values) {
  if (!(chart.limit > 0.0)) return;
  const double place = values.place(to_axis(chart, chart.limit));
  if (place < 0.0 || place > 1.0) return;
  const double y = area.top + (1.0 - place) * area.height;
  for (double x = area.left; x < area.left + area.width; x += 12.0) {
    image.draw_line(x, y, std::min(x + 6.0, area.left + area.width), y, Palette::light().faint, 1.5);
  }
}

void draw_chart(Image& image, const Area& area, const Chart& chart, const Comparison& comparison,
                const ComparisonHistory& history) {
  const Range time = times_of(history), values = values_of(chart, history);
  image.draw_text(static_cast<int>(area.left), static_cast<int>(area.top) - 24, chart.title, Palette::light().text);
  draw_axes(image, area, chart, time, values);
  draw_limit(image, area, chart, values);
  for (int k = history.num_runs() - 1; k >= 0; --k) {  // the first one on top
    const ComparedSeries& series = history.run(k);
    const std::vector<double>& column = series.*chart.column;
    const auto x = [&](std::size_t i) { return area.left + time.place(series.time[i]) * area.width; };
    const auto y = [&](std::size_t i) {
      return area.top + (1.0 - values.place(to_axis(chart, column[i]))) * area.height;
    };
    // Of many samples in one pixel the largest is drawn: what jumps from step to step would be a solid band.
    std::size_t last = 0, i = 0;
    while (i < column.size()) {
      std::size_t largest = i;
      const double begin = x(i);
      for (++i; i < column.size() && x(i) < begin + 1.5; ++i) {
        if (column[i] > column[largest]) largest = i;
      }
      if (largest > 0) image.draw_line(x(last), y(last), x(largest), y(largest), color_of(k), k == 0 ? 3.0 : 2.0);
      last = largest;
    }
    if (comparison.runs()[k].parting_step < 0) continue;
    // Where it parts from the first: a mark on the time axis.
    const double parted = static_cast<double>(comparison.runs()[k].parting_step + 1);
    const double at = area.left + time.place(parted * comparison.simulator(k).time_step()) * area.width;
    image.draw_line(at, area.top + area.height - 10.0, at, area.top + area.height, color_of(k), 4.0);
  }
}

}  // namespace

Image plot_comparison(const Comparison& comparison, const ComparisonHistory& history, const std::string& title) {
  constexpr int width = 1400, height = 980;
  const Palette& palette = Palette::light();
  Image image(width, height, palette.background);
  image.draw_text(40, 24, title, palette.text, 3);
  int x = 40, y = 64;
  for (std::size_t k = 0; k < comparison.runs().size(); ++k) {
    const ComparedRun& run = comparison.runs()[k];
    const std::string name = run.solver + " (" + std::string(to_string(run.model)) + ")";
    if (x + 40 + Image::text_width(name) > width) x = 40, y += 24;
    image.fill_rectangle(x, y + 1, 22, 12, color_of(k));
    image.draw_text(x + 30, y, name, palette.text);
    x += 60 + Image::text_width(name);
  }
  const std::array<Chart, 4> charts = {{
      {"distance from the first run, m", &ComparedSeries::distance, 1e-9, comparison.settings().parting_distance},
      {"energy, J", &ComparedSeries::energy, 0.0, 0.0},
      {"residual by the common law", &ComparedSeries::eps_nat, 1e-16, comparison.settings().simulator.tolerance},
      {"energy error so far, J", &ComparedSeries::energy_error, 0.0, 0.0},
  }};
  const double top = y + 70.0, each = (height - top) / 2.0;
  for (std::size_t c = 0; c < charts.size(); ++c) {
    const Area area{120.0 + (c % 2) * 690.0, top + (c / 2) * each, 540.0, each - 90.0};
    draw_chart(image, area, charts[c], comparison, history);
  }
  return image;
}

}  // namespace stiction::cli
