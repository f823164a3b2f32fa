package org.spillway.head.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.spillway.cloud.SiteSettings;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Reach;
import org.spillway.head.config.HeadConfig.Director;
import org.spillway.head.config.HeadConfig.Keep;
import org.spillway.head.config.HeadConfig.Site;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.settings.Section;

/** A section below {@code sites}. */
final class SiteReader {
    private static final int MOST_OPTIONS = 100;
    private static final int MOST_NODES = 10_000;
    private static final int MOST_PRICES = 2_000;
    private static final String PRICED = "[^\\s/]{1,100}(/spot|/reserved|/stopped)?";
    private static final String PUBLIC_LINE = "[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{40,2000}={0,2}( [^\\n]{0,200})?";
    private static final String OWNER = "1 to 60 letters, digits, dots, dashes, underscores and @";

    private static final String REACHED = "a list of absolute paths of plain letters, and no folder of the system";
    private static final String OF_SYSTEMS =
            "/(bin|boot|dev|etc|home|lib|lib32|lib64|proc|root|run|sbin|sys|tmp|usr|var)(/.*)?";

    private final Installed installed;
    private final String cluster;
    private final Path state;
    private final Path base;
    private final String currency;
    private final MountsReader mounts;

    /** @param base what the paths in the file are relative to */
    SiteReader(Installed installed, String cluster, Path state, Path base, String currency, MountsReader mounts) {
        this.installed = installed;
        this.cluster = cluster;
        this.state = state;
        this.base = base;
        this.currency = currency;
        this.mounts = mounts;
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
        var isolation = isolation(nodes, driver);
        var storage = mounts.read(nodes, registration);
        boolean home = section.flag("home", false);
        var reach = reach(nodes, isRented(driver) && !home);
        var forwards = ForwardsReader.read(nodes, isolation);
        nodes.noMore();
        var kept = section.section("keep", false);
        var keep = section.has("keep") ? Optional.of(keep(kept, maxNodes)) : Optional.<Keep>empty();
        var idle = idle(section);
        int priority = section.integer("priority", 0, -1000, 1000);
        var egress = section.money("egressPerGB", Money.ZERO);
        var owner = section.matching("owner", user(), "[A-Za-z0-9._@-]{1,60}", OWNER);
        var prices = prices(section.section("prices", false));
        var options = section.section("options", false);
        var settings = SiteSettings.of(
                        cluster, name, options(options), state.resolve("sites").resolve(name))
                .withPrices(prices)
                .withCurrency(currency);
        section.noMore();
        if (section.says("driver", driver)) {
            tryDriver(driver, settings, idle, keep.filter(one -> !one.powered()).isPresent(), section, options);
        }
        return new Site(
                name,
                driver,
                maxNodes,
                registration,
                director,
                nodeImage,
                isolation,
                storage,
                reach,
                forwards,
                home,
                keep,
                idle,
                priority,
                egress,
                owner,
                settings);
    }

    /** A head that is no root has one user's jobs; machines made of this very one can do no more than this one can. */
    private Isolation isolation(Section nodes, String driver) {
        boolean root = "root".equals(System.getProperty("user.name"));
        var usual = root && isRented(driver) ? Isolation.REQUIRED : Isolation.PREFERRED;
        var word = nodes.oneOf(
                "isolation",
                usual.word(),
                Stream.of(Isolation.values()).map(Isolation::word).toList());
        return Isolation.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private boolean isRented(String driver) {
        var site = installed.drivers().get(driver);
        return site == null || !site.isOfThisMachine();
    }

    /** Machines at home, and nodes that are processes of this very machine, have what lies there. */
    private static Optional<Reach> reach(Section nodes, boolean isAway) {
        String usual = isAway ? "reach" : "copy";
        boolean reaches = nodes.oneOf("home", usual, List.of("copy", "reach")).equals("reach");
        if (!reaches && nodes.has("reach")) {
            nodes.mistake("reach", "found beside home: copy; allowed: with home: reach");
        }
        var paths = new ArrayList<String>();
        nodes.wordsIfAny("reach", REACHED).forEach((path, where) -> {
            if (path.matches("(/[A-Za-z0-9_@+-][A-Za-z0-9._@+-]*)+") && !path.matches(OF_SYSTEMS)) {
                paths.add(path);
            } else {
                nodes.mistakeAt(where, "reach", "found '" + path + "'; allowed: " + REACHED);
            }
        });
        return reaches ? Optional.of(new Reach(paths)) : Optional.empty();
    }

    private static HeadConfig.Idle idle(Section section) {
        boolean stop =
                section.oneOf("idle", "terminate", List.of("terminate", "stop")).equals("stop");
        if (!stop && section.has("stoppedFor")) {
            section.mistake("stoppedFor", "found beside idle: terminate; allowed: with idle: stop");
        }
        return new HeadConfig.Idle(
                stop, section.duration("stoppedFor", Duration.ofDays(1), Duration.ofMinutes(10), Duration.ofDays(366)));
    }

    static Keep keep(Section section, int maxNodes) {
        var type = section.matching("type", null, "\\S{1,100}", "an instance type of the provider");
        int count = section.integer("count", 1, 1, Math.max(1, maxNodes));
        var powered = section.oneOf("powered", "always", List.of("always", "needed"));
        section.noMore();
        return new Keep(type, count, powered.equals("always"));
    }

    private Director director(Section section) {
        boolean given = section.has("at");
        var type = section.matching("type", given ? "given" : null, "\\S{1,100}", "an instance type of the provider");
        var market = section.oneOf("market", "on-demand", List.of("on-demand", "spot", "reserved"));
        var zone = section.text("zone", "", "a zone of the provider, or absent for any");
        var idle = section.duration("idle", Duration.ofMinutes(10), Duration.ZERO, Duration.ofDays(30));
        var abandoned =
                section.duration("abandonedAfter", Duration.ofHours(24), Duration.ofMinutes(10), Duration.ofDays(30));
        var image = section.text("image", "", "the provider's image id, or absent for that of the nodes");
        var at = given ? Optional.of(at(section.section("at", true))) : Optional.<GivenDirector>empty();
        var trialBudget =
                section.has("trialBudget") ? Optional.of(section.money("trialBudget")) : Optional.<Money>empty();
        if (given && section.has("trialBudget")) {
            section.mistake("trialBudget", "found beside at; allowed: one of the two, as nothing is bought for at");
        }
        if (given && section.has("type")) {
            section.mistake("type", "found beside at; allowed: one of the two, as nothing is bought for at");
        }
        section.noMore();
        return new Director(
                type,
                Market.valueOf(market.toUpperCase(Locale.ROOT).replace('-', '_')),
                zone,
                idle,
                abandoned,
                image,
                at,
                trialBudget);
    }

    private GivenDirector at(Section section) {
        var address = section.matching(
                "address", null, "[0-9a-fA-F.:]{2,45}", "an address in numbers, such as 192.0.2.7, and no name");
        int port = section.integer("sshPort", 22, 1, 65_535);
        var file = section.path("hostKeyFile", null, base);
        var key = "";
        try {
            key = Files.readString(file).strip();
            if (!key.matches(PUBLIC_LINE)) {
                section.mistake(
                        "hostKeyFile",
                        "found no public key in it; allowed: one line such as that of "
                                + "/etc/ssh/ssh_host_ecdsa_key.pub");
            }
        } catch (IOException unreadable) {
            section.mistake("hostKeyFile", "found '" + file + "', which cannot be read; allowed: an existing file");
        }
        section.noMore();
        return new GivenDirector(address, port, key);
    }

    /** The user that the head runs as, as far as a tag can say it. */
    private static String user() {
        var name = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._@-]", "-");
        return name.isEmpty() ? "spillway" : name.substring(0, Math.min(60, name.length()));
    }

    private static Map<String, Money> prices(Section section) {
        var prices = new LinkedHashMap<String, Money>();
        for (var type : List.copyOf(section.keys())) {
            var price = section.money(type);
            if (!type.matches(PRICED)) {
                section.mistake(type, "found this type; allowed: TYPE, TYPE/spot, TYPE/reserved or TYPE/stopped");
            } else if (prices.size() == MOST_PRICES) {
                section.mistake(type, "found more than " + MOST_PRICES + " prices; allowed: " + MOST_PRICES);
                break;
            }
            prices.put(type, price);
        }
        return prices;
    }

    private Map<String, String> options(Section section) {
        var options = new LinkedHashMap<String, String>();
        for (var key : List.copyOf(section.keys())) {
            if (options.size() == MOST_OPTIONS) {
                section.mistake(key, "found more than " + MOST_OPTIONS + " options; allowed: " + MOST_OPTIONS);
                break;
            }
            // Drivers do not know where the configuration lies.
            options.put(
                    key,
                    key.endsWith("File")
                            ? section.path(key, null, base).toString()
                            : section.flat(key, "a single value, a list of values, or a mapping of single values"));
        }
        return options;
    }

    /** The driver knows its own keys; opening a site makes no call that changes anything. */
    private void tryDriver(
            String name, SiteSettings settings, HeadConfig.Idle idle, boolean pooled, Section site, Section options) {
        var driver = installed.drivers().get(name);
        if (driver == null) {
            return;
        }
        try (var opened = driver.open(settings)) {
            opened.diagnostics();
            if (pooled && opened.power().isEmpty()) {
                site.mistake(
                        "keep",
                        "found 'powered: needed'; allowed: always, for the driver '" + name + "' cannot stop nodes");
            }
            if (idle.stop() && opened.power().isEmpty()) {
                site.mistake(
                        "idle", "found 'stop'; allowed: terminate, for the driver '" + name + "' cannot stop nodes");
            }
        } catch (SiteSettings.Invalid invalid) {
            var key = invalid.key().startsWith("options.") ? invalid.key().substring(8) : invalid.key();
            if (options.has(key) || !(site.has(key) || key.equals("prices"))) {
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
