package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.settings.ConfigMistakes;

/** The regions' clouds where the demo has to see to them itself: those that wear an API, and those behind a driver. */
final class DemoClouds {
    private static final Duration START = Duration.ofMinutes(2);

    private DemoClouds() {}

    /**
     * Starts a local cloud for each region; one process each, in a session of its own.
     *
     * @return the endpoint of the API that each wears, by region
     */
    static Map<String, String> start(Path launcher, DemoFiles files, EmulatedApi api)
            throws IOException, InterruptedException {
        Map<String, Process> started = new LinkedHashMap<>();
        for (String region : api.regions()) {
            var builder = new ProcessBuilder(
                            "setsid",
                            launcher.toString(),
                            "local-cloud",
                            "--api",
                            api.api(),
                            "--state",
                            files.cloud(region).toString(),
                            "--config",
                            files.catalogue(region).toString())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(files.cloudLog(region).toFile());
            builder.environment().put("SPILLWAY_NO_BUILD", "1");
            started.put(region, builder.start());
        }
        Map<String, String> endpoints = new TreeMap<>();
        for (var one : started.entrySet()) {
            Path state = files.cloud(one.getKey());
            boolean up = DemoEnding.await(
                    START,
                    () -> Files.exists(state.resolve("endpoint"))
                            || !one.getValue().isAlive());
            if (!up || !one.getValue().isAlive()) {
                throw new IOException("the cloud " + one.getKey() + " does not come up: "
                        + Files.readString(files.cloudLog(one.getKey()), StandardCharsets.UTF_8)
                                .strip());
            }
            endpoints.put(
                    one.getKey(),
                    Files.readString(state.resolve("api-endpoint")).strip());
        }
        return endpoints;
    }

    /** The regions' drivers, opened with what the configuration says. */
    static List<DriverAccess> drivers(DemoFiles files, List<String> regions, Installed installed) throws IOException {
        HeadConfig config;
        try {
            config = ConfigReader.read(files.config(), installed);
        } catch (ConfigMistakes mistakes) {
            throw new IOException(String.valueOf(mistakes.getMessage()), mistakes);
        }
        return config.sites().values().stream()
                .filter(site -> regions.contains(site.name()))
                .map(site -> {
                    var driver = installed.drivers().get(site.driver());
                    if (driver == null) {
                        throw new IllegalStateException("no such driver: " + site.driver());
                    }
                    return new DriverAccess(site.name(), driver.open(site.settings()));
                })
                .toList();
    }
}
