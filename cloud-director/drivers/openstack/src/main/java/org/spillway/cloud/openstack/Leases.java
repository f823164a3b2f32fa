package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * Capacity that Blazar has reserved for the project ("Reservation API v1"), read by hand as OpenStack4j (3.12) knows no
 * Blazar. A reservation of instances is a flavor of its own, {@code reservation:ID}, by which they are launched; a
 * reservation of hosts is a scheduler hint beside any flavor (Blazar's "Instance Reservation" and "Host Reservation").
 * Other servers stay outside of what is reserved: Blazar's filter sees to that.
 */
final class Leases {
    /** Option: ids of reservations, not of their leases, in the order in which they are used. */
    static final String OPTION = "reservations";
    /** How names of flavors begin that stand for a reservation of instances. */
    static final String FLAVOR = "reservation:";

    static final String ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private final List<String> named;
    private final Api api;

    Leases(Account account) {
        this.named = named(account.site());
        this.api = account.api();
    }

    /** @throws SiteSettings.Invalid for what is no id, and for one that is named twice */
    static List<String> named(SiteSettings site) {
        String option = site.options().getOrDefault(OPTION, "");
        List<String> ids = new ArrayList<>();
        for (String each : option.isEmpty() ? new String[0] : option.split(",", -1)) {
            String id = each.strip();
            if (!id.matches(ID) || ids.contains(id)) {
                throw new SiteSettings.Invalid(
                        OPTION,
                        "found '" + id
                                + "'; allowed: ids of reservations (openstack reservation lease show), each once,"
                                + " with commas between");
            }
            ids.add(id);
        }
        return List.copyOf(ids);
    }

    /**
     * A reservation.
     *
     * @param hosts whether it is of whole hosts; otherwise of instances
     * @param amount instances that it has room for; 0 for hosts, of which nobody tells it
     * @param serverGroup that its instances have to be members of; empty for none
     * @param status Blazar's word, in small letters
     * @param until when its lease ends, as Blazar writes it
     */
    record Reserved(String id, boolean hosts, int amount, String serverGroup, String status, String until) {
        boolean isActive() {
            return status.equals("active");
        }

        String text() {
            return id + ": " + (hosts ? "hosts" : amount + " instances") + " until " + until;
        }

        /** Whether an offering of that flavor is in it. */
        boolean isOf(String flavor) {
            return hosts ? !flavor.startsWith(FLAVOR) : flavor.equals(FLAVOR + id);
        }
    }

    /** Price of what is reserved: the flavor's own, or one for all reservations of instances, {@code reservation/reserved}. */
    static Optional<Money> price(SiteSettings site, String flavor) {
        return site.price(flavor, Market.RESERVED)
                .or(() -> flavor.startsWith(FLAVOR)
                        ? site.price("reservation", Market.RESERVED)
                        : site.price(flavor, Market.ON_DEMAND));
    }

    List<String> named() {
        return named;
    }

    /** All of the project's, of servers. One call. */
    List<Reserved> look() throws CloudException {
        List<Reserved> all = new ArrayList<>();
        for (JsonNode lease :
                api.get(OpenStackService.RESERVATION, "/leases", Map.of()).path("leases")) {
            for (JsonNode each : lease.path("reservations")) {
                String type = each.path("resource_type").asText();
                if (type.equals("physical:host") || type.equals("virtual:instance") || type.equals("flavor:instance")) {
                    all.add(new Reserved(
                            each.path("id").asText(),
                            type.equals("physical:host"),
                            each.path("amount").asInt(0),
                            each.path("server_group_id").asText(""),
                            each.path("status").asText("").toLowerCase(Locale.ROOT),
                            lease.path("end_date").asText("")));
                }
            }
        }
        return all;
    }

    /** Active ones among them that the site names, in the order in which they are used. */
    List<Reserved> usable() throws CloudException {
        return named.isEmpty()
                ? List.of()
                : look().stream()
                        .filter(each -> each.isActive() && named.contains(each.id()))
                        .sorted(Comparator.comparingInt(each -> named.indexOf(each.id())))
                        .toList();
    }

    /** The reservation that a launch names, if it is active. */
    Optional<Reserved> find(String id) throws CloudException {
        return look().stream()
                .filter(each -> each.id().equals(id) && each.isActive())
                .findFirst();
    }
}
