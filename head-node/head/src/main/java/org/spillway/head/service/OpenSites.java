package org.spillway.head.service;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Site;
import org.spillway.cloud.catalogue.CataloguedSite;
import org.spillway.cloud.pacing.PacedSite;
import org.spillway.cloud.pacing.Pacing;
import org.spillway.cloud.pacing.Pause;
import org.spillway.head.config.HeadConfig;

/** Sites of the configuration, opened: within the limits of their accounts, and with their offerings in memory. */
final class OpenSites {
    /** How many refreshes of its offerings a site may miss before that is trouble. */
    private static final int OFFERINGS_USABLE = 6;

    private final HeadConfig config;
    private final Map<String, CloudDriver> drivers;
    private final InstantSource clock;
    private final Consumer<AutoCloseable> opened;
    private final Map<String, Site> sites = new LinkedHashMap<>();
    private final Map<String, PacedSite> accounts = new ConcurrentHashMap<>();

    /** @param opened takes what has to be closed, in the order in which it was opened */
    OpenSites(
            HeadConfig config, Map<String, CloudDriver> drivers, InstantSource clock, Consumer<AutoCloseable> opened) {
        this.config = config;
        this.drivers = drivers;
        this.clock = clock;
        this.opened = opened;
    }

    /** By name, in the configuration's order; none before {@link #open}. */
    Map<String, Site> all() {
        return Collections.unmodifiableMap(sites);
    }

    /** All of them, which from now on look at their offerings now and then. Once. */
    Map<String, Site> open() {
        Map<String, CataloguedSite> catalogues = new LinkedHashMap<>();
        config.sites().forEach((name, site) -> {
            CataloguedSite catalogued = openedAgain(site);
            opened.accept(catalogued);
            sites.put(name, catalogued);
            catalogues.put(name, catalogued);
        });
        opened.accept(Refreshing.begin(catalogues, config.offeringsRefresh()));
        return all();
    }

    /** A site under a child's name; all of them keep the limits of one account. */
    CataloguedSite openedAgain(HeadConfig.Site site) {
        CloudDriver driver = drivers.get(site.driver());
        if (driver == null) {
            throw new IllegalStateException("no such driver: " + site.driver());
        }
        return decorated(driver, site);
    }

    /** Within the provider's published limits, and with its offerings in memory. */
    private CataloguedSite decorated(CloudDriver driver, HeadConfig.Site site) {
        Site account = driver.open(site.settings());
        PacedSite known = accounts.get(site.name());
        PacedSite paced = known != null
                ? known.beside(account)
                : new PacedSite(
                        account,
                        Pacing.USUAL,
                        clock,
                        Pause.REAL,
                        () -> ThreadLocalRandom.current().nextLong());
        accounts.putIfAbsent(site.name(), paced);
        Duration usable = config.offeringsRefresh().multipliedBy(OFFERINGS_USABLE);
        return new CataloguedSite(paced, driver.name(), site.settings(), usable, clock);
    }
}
