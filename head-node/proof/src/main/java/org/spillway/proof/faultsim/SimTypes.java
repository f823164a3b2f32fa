package org.spillway.proof.faultsim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** Types of one size at a provider that takes ranked sets: what it is short of, it gives as the next one in the same call. */
final class SimTypes {
    /** Prices by type; a provider without any sells its usual ones. */
    final Map<String, Money> sold = new LinkedHashMap<>();

    /** Types that no node can be had of. */
    final Set<String> shortOf = new HashSet<>();

    /** How many of the next answers are lost. */
    int lost;

    /** Calls that were no repetitions. */
    int calls;

    private final Map<String, LaunchAnswer> answers = new HashMap<>();

    interface Maker {
        Instance make(OfferingId offering);
    }

    boolean any() {
        return !sold.isEmpty();
    }

    List<Offering> offerings(String site) {
        List<Offering> all = new ArrayList<>();
        sold.forEach((type, price) -> all.add(Offering.of(
                new OfferingId(site, "a", type, Market.ON_DEMAND),
                Resources.of(SimProvider.CPUS, 8L << 30, 0),
                price)));
        return all;
    }

    LaunchAnswer launch(LaunchRequest request, boolean node, Maker maker) {
        LaunchAnswer answer = answers.computeIfAbsent(request.token(), token -> {
            calls++;
            return made(request, node, maker);
        });
        if (node && lost > 0) {
            lost--;
            return new LaunchAnswer(new LaunchOutcome.Unknown("the answer was lost"), List.of());
        }
        return answer;
    }

    private LaunchAnswer made(LaunchRequest request, boolean node, Maker maker) {
        List<LaunchAnswer.Part> parts = new ArrayList<>();
        LaunchOutcome none = new LaunchOutcome.Refused(Reason.CAPACITY, "short");
        for (OfferingId offering : request.offerings()) {
            if (node && shortOf.contains(offering.instanceType())) {
                parts.add(new LaunchAnswer.Part(offering, none));
                continue;
            }
            List<Instance> instances = new ArrayList<>();
            for (int i = 0; i < request.count(); i++) {
                instances.add(maker.make(offering));
            }
            LaunchOutcome all = new LaunchOutcome.Launched(request.count());
            parts.add(new LaunchAnswer.Part(offering, all));
            return new LaunchAnswer(all, instances, request.alternatives().isEmpty() ? List.of() : parts);
        }
        return new LaunchAnswer(none, List.of(), request.alternatives().isEmpty() ? List.of() : parts);
    }
}
