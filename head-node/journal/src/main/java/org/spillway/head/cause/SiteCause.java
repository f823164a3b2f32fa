package org.spillway.head.cause;

import java.util.List;
import org.spillway.policy.Money;

/** Why a site is not used, or has no director, or was not seen as it is. */
public sealed interface SiteCause extends Cause {
    /** The trouble of a site of which nothing more is to be said. */
    enum SiteFact implements SiteCause {
        OFFERINGS_UNSAID("its provider has not said yet what it offers"),
        NETWORK_BEING_DELETED("its network is being deleted"),
        COPY_NOT_LISTED(
                "the state directory is not where its last head ran, which may live: nothing is bought or ended before"
                        + " the site's machines were listed"),
        HEAD_DISK_FULL("the head's disk is full: nothing is bought until there is room on it"),
        QUARANTINED("quarantine: the journal does not know all that may run here ('spillway recover')");

        private final String sentence;

        SiteFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    /** The checks that call the site broken. @param checks at least one, each a {@link CheckFailed} */
    record ChecksFailed(List<Cause> checks) implements SiteCause {
        public ChecksFailed {
            checks = List.copyOf(checks);
        }

        @Override
        public List<Cause> parts() {
            return checks;
        }
    }

    /** @param check its name, such as {@code credentials}; {@code said} by the provider */
    record CheckFailed(String check, String said) implements SiteCause {}

    record NotChecked(String said) implements SiteCause {}

    /** @param said by the provider, or on the way to it */
    record OfferingsNotRead(String said) implements SiteCause {}

    /** @param said by the provider, or on the way to it */
    record InstancesNotListed(String said) implements SiteCause {}

    /** @param missing at once, {@code of} those that it had */
    record ListingDoubted(int missing, int of) implements SiteCause {}

    /** @param machines that a head beside this one has bought, of which nobody has said what becomes of them */
    record TwinBuys(int machines) implements SiteCause {}

    /** @param said by the provider, or on the way to it */
    record UnownedNotEnded(String said) implements SiteCause {}

    /** Machines go on costing money. @param machines whose end the provider refused; {@code said} of the latest of them */
    record EndsRefused(int machines, String said) implements SiteCause {}

    record DirectorNotInstalled(String said) implements SiteCause {}

    /** Nobody could log in to its machine. @param said by its console, the last of it */
    record DirectorConsole(Cause unreachable, String said) implements SiteCause {
        @Override
        public List<Cause> parts() {
            return List.of(unreachable);
        }
    }

    record HostKeyNotKept(String said) implements SiteCause {}

    /** @param zone empty for any */
    record DirectorNotOffered(String type, String zone) implements SiteCause {}

    /** An open breaker buys none. @param breaker its id */
    record DirectorShut(String breaker, Cause why) implements SiteCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    /** @param last why the last of them did not come up */
    record DirectorPaused(int failures, long pauseSeconds, Cause last) implements SiteCause {
        @Override
        public List<Cause> parts() {
            return List.of(last);
        }
    }

    /** @param zones in which it is sold; {@code why} none of them is asked now, from their health */
    record DirectorRefused(int zones, String why) implements SiteCause {}

    /**
     * Directors that never served have cost what they may.
     *
     * @param spent on them in 24 hours
     * @param most that may be spent on such in 24 hours
     * @param last why the last of them did not come up
     */
    record DirectorTrialsSpent(int failures, Money spent, Money most, Cause last) implements SiteCause {
        @Override
        public List<Cause> parts() {
            return List.of(last);
        }
    }

    /** @param needed what a director and a node would reserve */
    record BudgetForDirector(Money left, Money needed) implements SiteCause {}

    /** Known users go on. @param sinceEpochSecond when it was last seen to be there; {@code said} by it, or on the way to it */
    record DirectoryAway(long sinceEpochSecond, String said) implements SiteCause {}

    /** @param why as last seen */
    record DirectorNotUp(Cause why) implements SiteCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }
}
