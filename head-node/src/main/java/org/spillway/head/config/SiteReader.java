package org.spillway.head.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.spillway.cloud.SiteSettings;
import org.spillway.head.config.HeadConfig.Director;
import org.spillway.head.config.HeadConfig.Keep;
import org.spillway.head.config.HeadConfig.Site;
import org.spillway.policy.Market;

/** One section below {@code sites}. */
final class SiteReader {
    private static final int MOST_OPTIONS = 100;
    private static final int MOST_NODES = 10_000;

    private final Installed installed;
    private final String cluster;
    private final Path state;

    SiteReader(Installed installed, String cluster, Path state) {
        this.installed = installed;
        this.cluster = cluster;
        this.state = state;
    }

    Site read(String name, Section section) {
        var driver =
                section.oneOf("driver", null, List.copyOf(installed.drivers().keySet()));
        int maxNodes = section.integer("maxNodes", null, 0, MOST_NODES);
        var registration =
                section.duration("registration", Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofDays(1));
        var director = director(section.section("director", true));
        var nodes = section.section("nodes", false);
        var nodeImage = nodes.text("image", "", "the provider's image id, or \"\" for the driver's default");
        nodes.noMore();
        boolean home = section.flag("home", false);
        var kept = section.section("keep", false);
        var keep = section.has("keep") ? Optional.of(keep(kept, maxNodes)) : Optional.<Keep>empty();
        var options = section.section("options", false);
        var settings = new SiteSettings(
                cluster, name, options(options), state.resolve("sites").resolve(name));
        section.noMore();
        if (section.says("driver", driver)) {
            tryDriver(driver, settings, section, options);
        }
        return new Site(name, driver, maxNodes, registration, director, nodeImage, home, keep, settings);
    }

    private static Keep keep(Section section, int maxNodes) {
        var type = section.matching("type", null, "\\S{1,100}", "an instance type of the provider");
        int count = section.integer("count", 1, 1, Math.max(1, maxNodes));
        section.noMore();
        return new Keep(type, count);
    }

    private static Director director(Section section) {
        var type = section.matching("type", null, "\\S{1,100}", "an instance type of the provider");
        var market = section.oneOf("market", "on-demand", List.of("on-demand", "spot", "reserved"));
        var zone = section.text("zone", "", "a zone of the provider, or absent for any");
        var idle = section.duration("idle", Duration.ofMinutes(10), Duration.ZERO, Duration.ofDays(30));
        var abandoned =
                section.duration("abandonedAfter", Duration.ofHours(24), Duration.ofMinutes(10), Duration.ofDays(30));
        section.noMore();
        return new Director(
                type, Market.valueOf(market.toUpperCase(Locale.ROOT).replace('-', '_')), zone, idle, abandoned);
    }

    private static Map<String, String> options(Section section) {
        var options = new LinkedHashMap<String, String>();
        for (var key : List.copyOf(section.keys())) {
            if (options.size() == MOST_OPTIONS) {
                section.mistake(key, "found more than " + MOST_OPTIONS + " options; allowed: " + MOST_OPTIONS);
                break;
            }
            options.put(key, section.text(key, "", "a single value"));
        }
        return options;
    }

    /** The driver knows its own keys; opening a site makes no call that changes anything. */
    private void tryDriver(String name, SiteSettings settings, Section site, Section options) {
        var driver = installed.drivers().get(name);
        if (driver == null) {
            return;
        }
        try (var opened = driver.open(settings)) {
            opened.diagnostics();
        } catch (SiteSettings.Invalid invalid) {
            var key = invalid.key().startsWith("options.") ? invalid.key().substring(8) : invalid.key();
            if (options.has(key) || !site.has(key)) {
                reportOption(site, options, key, invalid);
            } else {
                site.mistake(key, String.valueOf(invalid.getMessage()));
            }
        } catch (Exception failed) {
            site.mistake("driver", "the driver '" + name + "' cannot open this site: " + failed.getMessage());
        }
    }

    private static void reportOption(Section site, Section options, String key, SiteSettings.Invalid invalid) {
        if (site.has("options")) {
            options.mistake(key, String.valueOf(invalid.getMessage()));
        } else {
            site.mistake("options." + key, String.valueOf(invalid.getMessage()));
        }
    }
}
