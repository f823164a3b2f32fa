package org.spillway.cloud.aws;

import static org.spillway.cloud.aws.AwsDiagnostics.warning;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Needs;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;

/** Words of doctor about the quotas of all that is offered, in each market. */
final class AwsQuotaChecks {
    private AwsQuotaChecks() {}

    /** The offering by which a quota is judged: one that is needed, else the smallest that is offered. */
    private record Wanted(Offering offering, boolean needed) {
        private static final Comparator<Wanted> FIRST = Comparator.comparing((Wanted one) -> !one.needed())
                .thenComparing(one -> one.offering().resources().cpus())
                .thenComparing(one -> one.offering().id());

        static Wanted first(Wanted one, Wanted other) {
            return FIRST.compare(one, other) <= 0 ? one : other;
        }
    }

    static void say(AwsQuotas quotas, List<Offering> offerings, Needs needs, List<Finding> findings) {
        Map<String, Wanted> byCode = new TreeMap<>();
        for (Offering offering : offerings) {
            Market market = offering.id().market();
            boolean needed = market == Market.ON_DEMAND
                    && needs.instanceTypes().contains(offering.id().instanceType());
            if (needed || needs.buys(market)) {
                AwsQuotas.code(offering.id().instanceType(), market)
                        .ifPresent(code -> byCode.merge(code, new Wanted(offering, needed), Wanted::first));
            }
        }
        for (Map.Entry<String, Wanted> each : byCode.entrySet()) {
            try {
                Offering offering = each.getValue().offering();
                findings.add(quotas.ask(each.getKey())
                        .finding(
                                offering.id().instanceType() + " ("
                                        + offering.id().market().text() + ")",
                                offering.resources().cpus(),
                                each.getValue().needed() ? Verdict.BROKEN : Verdict.WARNING));
            } catch (CloudException unseen) {
                findings.add(warning(
                        "quotas",
                        "not looked at: " + unseen.getMessage(),
                        "allow servicequotas:GetServiceQuota and cloudwatch:GetMetricStatistics, or look by hand: aws"
                                + " service-quotas get-service-quota --service-code ec2 --quota-code "
                                + each.getKey()));
                return;
            }
        }
    }
}
