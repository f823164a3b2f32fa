package org.spillway.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.UsageInner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Needs;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Quota;
import org.spillway.policy.Market;

/**
 * Quotas of the location in vCPUs ("Usage - List"): one for each family, one for all of them, and one for spot machines of all
 * families together ("Azure Spot Virtual Machines": quota).
 */
final class AzureQuotas {
    static final String SPOT = "lowPriorityCores";
    static final String ALL = "cores";
    /** Families that are told each by itself. */
    private static final int MOST_TOLD = 5;

    private final AzureSettings settings;
    private final Arm arm;

    AzureQuotas(AzureSettings settings, Arm arm) {
        this.settings = settings;
        this.arm = arm;
    }

    /** The quota that an offering counts against; empty for what is reserved, which was counted when it was. */
    static String family(Size size, Market market) {
        return switch (market) {
            case ON_DEMAND -> size.family();
            case SPOT -> SPOT;
            case RESERVED -> "";
        };
    }

    /** By the lower-case name of the usage. */
    Map<String, Quota> all() throws CloudException {
        Map<String, Quota> all = new TreeMap<>();
        for (UsageInner usage : arm.pages(() -> arm.compute().getUsages().list(settings.location()))) {
            String name =
                    usage.name() == null ? "" : String.valueOf(usage.name().value());
            all.put(
                    Machines.key(name),
                    new Quota(
                            name,
                            name,
                            usage.name() == null
                                    ? ""
                                    : Arm.line(String.valueOf(usage.name().localizedValue())),
                            Quota.Unit.CPUS,
                            Math.max(0, usage.currentValue()),
                            Math.max(0, usage.limit()),
                            raise(name)));
        }
        return all;
    }

    /** "Quickstart: Request a quota increase", az quota update. */
    private String raise(String name) {
        return "az quota update --resource-name " + name + " --scope /subscriptions/" + settings.subscription()
                + "/providers/Microsoft.Compute/locations/" + settings.location()
                + " --limit-object value=VCPUS --resource-type " + (name.equals(SPOT) ? "lowPriority" : "dedicated");
    }

    /** @param offered sizes that the site offers */
    void say(Collection<Size> offered, Needs needs, List<Finding> findings) throws CloudException {
        Map<String, Quota> quotas = all();
        Map<String, Size> smallest = new TreeMap<>();
        Set<String> needed = needs.instanceTypes();
        Comparator<Size> first = Comparator.comparing((Size size) -> !needed.contains(size.name()))
                .thenComparing(Size::counted)
                .thenComparing(Size::name);
        for (Size size : offered) {
            if (needs.buys(Market.ON_DEMAND) || needed.contains(size.name())) {
                smallest.merge(size.family(), size, (one, other) -> first.compare(one, other) <= 0 ? one : other);
                smallest.merge(ALL, size, (one, other) -> first.compare(one, other) <= 0 ? one : other);
            }
            if (size.spot() && needs.buys(Market.SPOT)) {
                smallest.merge(SPOT, size, (one, other) -> first.compare(one, other) <= 0 ? one : other);
            }
        }
        List<Finding> full = new ArrayList<>();
        for (Map.Entry<String, Size> each : smallest.entrySet()) {
            Size size = each.getValue();
            boolean must = needed.contains(size.name()) && !each.getKey().equals(SPOT);
            Quota quota = quotas.get(Machines.key(each.getKey()));
            if (quota == null) {
                if (must) {
                    findings.add(AzureDiagnostics.warning(
                            "quota " + each.getKey(), "it is not among the usages", "look at it in the portal"));
                }
                continue;
            }
            Finding finding = quota.finding(size.name(), size.counted(), must ? Verdict.BROKEN : Verdict.WARNING);
            if (must || each.getKey().equals(ALL) || each.getKey().equals(SPOT)) {
                findings.add(finding);
            } else if (finding.verdict() != Verdict.GOOD) {
                full.add(finding);
            }
        }
        if (full.size() <= MOST_TOLD) {
            findings.addAll(full);
        } else {
            findings.add(AzureDiagnostics.warning(
                    "quotas",
                    "no room for one machine in " + full.size() + " families, such as "
                            + full.getFirst().check().substring("quota ".length()),
                    "name the sizes that you use in the option types; then each says how to raise its quota"));
        }
    }
}
