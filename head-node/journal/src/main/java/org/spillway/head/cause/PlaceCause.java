package org.spillway.head.cause;

import java.util.List;
import org.spillway.policy.Money;

/** Why a job is in a site or in none, and what a site has in its way. */
public sealed interface PlaceCause extends Cause {
    /** Why a job is where it is, where nothing more is to be said. */
    enum PlaceFact implements PlaceCause {
        HOME_HAS_ROOM("home has room for it"),
        HOME_HAS_ROOM_NOW("home has room for it now"),
        INPUT_STUCK("its input does not come through");

        private final String sentence;

        PlaceFact(String sentence) {
            this.sentence = sentence;
        }

        String sentence() {
            return sentence;
        }
    }

    record SiteUnusable(String site, Cause trouble) implements PlaceCause {
        @Override
        public List<Cause> parts() {
            return List.of(trouble);
        }
    }

    record SiteTrouble(String site, Cause trouble) implements PlaceCause {
        @Override
        public List<Cause> parts() {
            return List.of(trouble);
        }
    }

    record SiteUnknown(String site) implements PlaceCause {}

    /** @param among types that it may run on; none for any */
    record TooSmall(String site, List<String> among) implements PlaceCause {}

    /** @param allowed markets in which its nodes may be bought; what the site has for it is sold in others */
    record OtherMarkets(String site, List<String> allowed) implements PlaceCause {}

    record NoRoom(String site) implements PlaceCause {}

    /** @param buyable how many nodes more may be bought there, fewer than it needs */
    record NoRoomToBuy(String site, int buyable) implements PlaceCause {}

    record OfferingRefused(String type, String zone, String said) implements PlaceCause {}

    /** @param why a machine of it would be refused, known before anybody asks */
    record OfferingHeld(String type, String zone, Cause why) implements PlaceCause {
        @Override
        public List<Cause> parts() {
            return List.of(why);
        }
    }

    record GivenNodes(String site) implements PlaceCause {}

    /** @param needed for a node of that type */
    record BudgetForType(Money left, Money needed, String type, String site, Money results) implements PlaceCause {}

    /** @param results expected price of their way home */
    record SiteChosen(String site, boolean cheapest, boolean homeFull, Money results) implements PlaceCause {}

    record SiteExpected(String site) implements PlaceCause {}

    record SoonerAtHome(String home, long homeSeconds, String other, long otherSeconds) implements PlaceCause {}

    /** @param other where it was, and {@code obstacle} what is in its way there */
    record SiteBetter(String site, String other, Cause obstacle) implements PlaceCause {
        @Override
        public List<Cause> parts() {
            return List.of(obstacle);
        }
    }

    /** @param obstacles in the order of its sites */
    record NoSite(List<Cause> obstacles) implements PlaceCause {
        @Override
        public List<Cause> parts() {
            return obstacles;
        }
    }
}
