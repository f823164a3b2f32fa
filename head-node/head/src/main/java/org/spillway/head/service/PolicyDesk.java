package org.spillway.head.service;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;
import org.spillway.api.PolicyView;
import org.spillway.api.TickView;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.loop.TickTimes;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.PolicyApi;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.builtin.ChainPolicy;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.policyhost.Containment;
import org.spillway.scaler.policyhost.PolicyHost;
import org.spillway.scaler.policyhost.PolicyHostSettings;
import org.spillway.scaler.policyhost.PolicyOverview;

/** REST's port to the policy host, and how that is made from the configuration. */
final class PolicyDesk implements PolicyApi {
    private static final Logger LOG = LoggerFactory.getLogger("org.spillway.head.policies");
    private static final String FALLBACK = "queue-depth";
    private static final Duration LONGEST_POLL = Duration.ofMillis(250);

    private final PolicyHost host;
    private final TickTimes times;

    PolicyDesk(PolicyHost host, TickTimes times) {
        this.host = host;
        this.times = times;
    }

    /**
     * @param answered told when a question is answered that the loop did not wait for
     * @throws IOException if what was remembered of policies cannot be read
     */
    static PolicyHost start(
            HeadConfig config,
            Map<String, ScalingPolicy<?>> policies,
            String release,
            Containment containment,
            Runnable answered,
            InstantSource clock)
            throws IOException {
        HeadConfig.Scaler scaler = config.scaler();
        Duration poll = scaler.tick().dividedBy(4);
        PolicyHostSettings settings = new PolicyHostSettings(
                scaler.policies().folder(),
                config.state().resolve("policies.json"),
                scaler.policy(),
                scaler.texts(),
                scaler.rules(),
                fallback(policies, scaler.policy()),
                release,
                memoryMib(config),
                scaler.policies().deadline(),
                scaler.policies().strikes(),
                poll.compareTo(LONGEST_POLL) < 0 ? poll : LONGEST_POLL);
        return PolicyHost.start(settings, bound(scaler, policies), containment, clock, new PolicyHost.Listener() {
            @Override
            public void info(String sentence) {
                LOG.info("{}", sentence);
            }

            @Override
            public void warn(String sentence) {
                LOG.warn("{}", sentence);
            }

            @Override
            public void answered() {
                answered.run();
            }
        });
    }

    static int memoryMib(HeadConfig config) {
        return (int) (config.scaler().policies().memoryBytes() >> 20);
    }

    private static String fallback(Map<String, ScalingPolicy<?>> policies, String configured) {
        if (policies.containsKey(configured)) {
            return configured;
        }
        return policies.containsKey(FALLBACK)
                ? FALLBACK
                : policies.keySet().stream().sorted().findFirst().orElse(FALLBACK);
    }

    /** Each with the settings that the configuration has for it, and under the rules of the house. */
    static Map<String, BoundPolicy<?>> bound(HeadConfig.Scaler scaler, Map<String, ScalingPolicy<?>> policies) {
        Map<String, BoundPolicy<?>> bound = new LinkedHashMap<>();
        policies.forEach((name, policy) -> bound.put(name, bound(scaler, name, policy)));
        return bound;
    }

    private static BoundPolicy<?> bound(HeadConfig.Scaler scaler, String name, ScalingPolicy<?> policy) {
        if (name.equals(scaler.policy())) {
            return BoundPolicy.of(policy, scaler.settings());
        }
        Record settings = scaler.others().getOrDefault(name, policy.defaults());
        if (scaler.rules().equals(HouseRules.NONE)) {
            return BoundPolicy.of(policy, settings);
        }
        List<ChainPolicy.Member> members = settings instanceof ChainPolicy.Settings chain
                ? chain.members()
                : List.of(ChainPolicy.Member.of(name, settings));
        return new BoundPolicy<>(new ChainPolicy(), new ChainPolicy.Settings(members, scaler.rules()));
    }

    @Override
    public PoliciesView policies() {
        PolicyOverview all = host.overview();
        return new PoliciesView(
                all.deciding(),
                all.wanted(),
                all.note(),
                all.containment(),
                all.folder(),
                all.policies().stream().map(PolicyDesk::view).toList(),
                ticks(times.figures()));
    }

    private static TickView ticks(TickTimes.Figures last) {
        return new TickView(
                last.count(), micros(last.median()), micros(last.p95()), micros(last.most()), micros(last.late()));
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1000;
    }

    private static PolicyView view(PolicyOverview.One one) {
        return new PolicyView(
                one.name(),
                one.state().name().toLowerCase(Locale.ROOT),
                one.file(),
                one.digest(),
                one.since(),
                one.strikes(),
                one.findings().isEmpty() ? "" : one.findings().getFirst());
    }

    @Override
    public PolicyDetail policy(String name) {
        try {
            // Also of one whose file is gone, as long as it is remembered.
            List<PolicyDetail.VersionView> versions = host.history(name).stream()
                    .map(one -> new PolicyDetail.VersionView(
                            one.digest(), one.taken(), one.since(), one.until(), one.why(), one.strikes()))
                    .toList();
            return host.overview().policies().stream()
                    .filter(one -> one.name().equals(name) || one.file().equals(name))
                    .findFirst()
                    .map(one -> new PolicyDetail(view(one), one.findings(), settings(one), versions))
                    .orElseGet(() -> new PolicyDetail(
                            new PolicyView(name, "removed", "", "", null, 0, "its file was removed"),
                            List.of(),
                            List.of(),
                            versions));
        } catch (PolicyHost.Refused refused) {
            throw answer(refused);
        }
    }

    private static List<PolicyDetail.SettingView> settings(PolicyOverview.One one) {
        return one.settings().stream()
                .map(setting -> new PolicyDetail.SettingView(
                        setting.name(), setting.allowed(), setting.byDefault(), setting.description()))
                .toList();
    }

    @Override
    public PolicyDetail change(Caller caller, String name, String action) {
        try {
            switch (action) {
                case "enable" -> host.enable(name);
                case "disable" -> host.disable(name);
                default ->
                    throw new ApiException(
                            Code.NOT_FOUND, "nobody can " + action + " a policy", "allowed: enable, disable");
            }
        } catch (PolicyHost.Refused refused) {
            throw answer(refused);
        }
        LOG.info("{} asked to {} policy {}", caller.user(), action, name);
        return policy(name);
    }

    private static ApiException answer(PolicyHost.Refused refused) {
        return refused.isUnknown()
                ? new ApiException(Code.NOT_FOUND, String.valueOf(refused.getMessage()), "")
                : new ApiException(Code.CONFLICT, String.valueOf(refused.getMessage()), "");
    }
}
