package org.spillway.head.config;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import org.spillway.head.config.HeadConfig.OnDemand;
import org.spillway.head.limits.Lifetime;
import org.spillway.policy.Money;
import org.spillway.settings.Section;

/** The section {@code onDemand}, which a parent writes for the head of a cluster on demand. */
final class OnDemandReader {
    private static final String TIME = "a time such as 2026-11-22T09:00:00Z";

    private OnDemandReader() {}

    /** Empty where there is no such section. */
    static Optional<OnDemand> read(Section root) {
        boolean given = root.has("onDemand");
        var section = root.section("onDemand", false);
        if (!given) {
            return Optional.empty();
        }
        var owner = section.text("owner", null, "the login name of the cluster's owner");
        int uid = section.integer("ownerUid", null, 0, Integer.MAX_VALUE);
        var lifetime = new Lifetime(
                time(section, "ends"), section.money("headPricePerHour", Money.ZERO), time(section, "headSince"));
        section.noMore();
        return Optional.of(new OnDemand(owner, uid, lifetime));
    }

    private static Instant time(Section section, String key) {
        return section.value(key, null, Instant.EPOCH, TIME, text -> {
            try {
                return Instant.parse(text);
            } catch (DateTimeException wrong) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + TIME, wrong);
            }
        });
    }
}
