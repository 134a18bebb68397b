#include <memory>
#include <string>
#include <vector>

#include "mmp/mmp_cuda.h"
#include "tools/command_line/terminal.h"
#include "tools/commands/commands.h"
#include "tools/text/json.h"

namespace mmp {
namespace {

struct Devices {
  std::vector<CudaDevice> list;
  std::string problem;  // why there is none
};

std::string CapabilityText(const CudaDevice& device) {
  return Format("%d.%d", device.compute_capability / 10, device.compute_capability % 10);
}

std::string DeviceText(size_t number, const CudaDevice& device) {
  return Format("%d  %s: %d multiprocessors, %.1f GiB, compute capability %s; %s",
                static_cast<int>(number), device.name.c_str(), device.multiprocessors,
                static_cast<double>(device.memory_bytes) / (1 << 30),
                CapabilityText(device).c_str(),
                device.problem.empty() ? "usable" : ("not usable: " + device.problem).c_str());
}

std::string DevicesText(const Devices& devices) {
  if (devices.list.empty()) return "none: " + devices.problem;
  std::string text;
  for (size_t i = 0; i < devices.list.size(); ++i)
    text += (i > 0 ? "\n" : "") + DeviceText(i, devices.list[i]);
  return text;
}

std::string DevicesJson(const Devices& devices) {
  JsonWriter json;
  json.BeginObject().Field("problem", devices.problem).Key("devices").BeginArray();
  for (const CudaDevice& device : devices.list) {
    json.BeginObject()
        .Field("name", device.name)
        .Field("multiprocessors", device.multiprocessors)
        .Field("memory_bytes", device.memory_bytes)
        .Field("compute_capability", CapabilityText(device))
        .Field("usable", device.problem.empty())
        .Field("problem", device.problem)
        .EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace

Command AddDevicesCommand(CLI::App& program) {
  CLI::App* const app = program.add_subcommand(
      "devices", "List the CUDA devices, and whether encode --backend cuda can use them");
  const auto as_json = std::make_shared<bool>(false);
  app->add_flag("--json", *as_json, "Print JSON");
  return {app, [as_json] {
            Devices devices;
            devices.list = ListCudaDevices(&devices.problem);
            for (size_t i = 0; i < devices.list.size(); ++i)
              if (std::string& problem = devices.list[i].problem; problem.empty())
                problem = CudaDeviceProblem(static_cast<int>(i));
            PrintLine(stdout, *as_json ? DevicesJson(devices) : DevicesText(devices));
            return ExitCode::kSuccess;
          }};
}

}  // namespace mmp
