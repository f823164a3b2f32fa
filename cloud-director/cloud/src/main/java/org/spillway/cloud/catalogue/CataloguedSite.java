package org.spillway.cloud.catalogue;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Compute;
import org.spillway.cloud.ForwardingCompute;
import org.spillway.cloud.ForwardingSite;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Offering;

/**
 * A site that tells what it sells from memory. It asks the provider when it knows nothing, and whenever somebody calls
 * {@link #refresh}; a refresh that fails keeps what was known, until that is older than {@code usable}: from then on it
 * is an error, for prices and types have changed since.
 */
public final class CataloguedSite extends ForwardingSite {
    private static final Logger LOG = LoggerFactory.getLogger(CataloguedSite.class);
    private final Compute compute;
    private final CatalogueFile file;
    private final Duration usable;
    private final InstantSource clock;
    private final String name;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile @Nullable Catalogue known;
    private volatile @Nullable CloudException lastFailure;

    /** @param usable how old what is told may be */
    public CataloguedSite(Site site, String driver, SiteSettings settings, Duration usable, InstantSource clock) {
        super(site);
        this.compute = site.compute();
        this.file = new CatalogueFile(driver, settings);
        this.usable = usable;
        this.clock = clock;
        this.name = settings.site();
    }

    /** As known now; empty when nothing was read yet, from disk or from the provider. */
    public Optional<Catalogue> catalogue() {
        return Optional.ofNullable(known);
    }

    /** Asks the provider. What fails is said in the log and, when what is known gets too old, by {@code offerings()}. */
    public void refresh() {
        try {
            ask();
        } catch (CloudException failed) {
            LOG.warn("site {}: its offerings could not be refreshed: {}", name, failed.getMessage());
        }
    }

    private Catalogue ask() throws CloudException {
        asking.lock();
        try {
            Instant began = clock.instant();
            Catalogue fresh = new Catalogue(began, compute.offerings());
            known = fresh;
            lastFailure = null;
            try {
                file.write(fresh);
            } catch (IOException unwritable) {
                LOG.warn("site {}: {} could not be written: {}", name, file.path(), unwritable.toString());
            }
            return fresh;
        } catch (CloudException failed) {
            lastFailure = failed;
            throw failed;
        } finally {
            asking.unlock();
        }
    }

    private List<Offering> offerings() throws CloudException {
        Catalogue catalogue = known;
        if (catalogue == null) {
            catalogue = first();
        }
        Duration age = Duration.between(catalogue.readAt(), clock.instant());
        if (age.compareTo(usable) > 0) {
            CloudException why = lastFailure;
            throw new CloudException(
                    why == null ? Reason.THROTTLED : why.reason(),
                    "what is known of them is " + age.toMinutes() + " minutes old"
                            + (why == null ? "" : ": " + why.getMessage()));
        }
        return catalogue.offerings();
    }

    /** Whoever comes second waits for the first one's answer and takes it. */
    private Catalogue first() throws CloudException {
        asking.lock();
        try {
            Catalogue meanwhile = known;
            if (meanwhile != null) {
                return meanwhile;
            }
            Optional<Catalogue> kept = file.read().filter(old -> !isTooOld(old));
            if (kept.isPresent()) {
                known = kept.get();
                return kept.get();
            }
            return ask();
        } finally {
            asking.unlock();
        }
    }

    private boolean isTooOld(Catalogue catalogue) {
        Duration age = Duration.between(catalogue.readAt(), clock.instant());
        // A catalogue from the future was written under another clock.
        return age.isNegative() || age.compareTo(usable) > 0;
    }

    @Override
    public Compute compute() {
        return new ForwardingCompute(compute) {
            @Override
            public List<Offering> offerings() throws CloudException {
                return CataloguedSite.this.offerings();
            }
        };
    }
}
