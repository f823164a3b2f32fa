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
import org.spillway.head.config.HeadConfig;
import org.spillway.head.rest.ApiException;
import org.spillway.head.rest.ApiException.Code;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.PoliciesView;
import org.spillway.head.rest.PolicyApi;
import org.spillway.head.rest.PolicyDetail;
import org.spillway.head.rest.PolicyView;
import org.spillway.policy.ScalingPolicy;
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

    PolicyDesk(PolicyHost host) {
        this.host = host;
    }

    /** @throws IOException if what was remembered of policies cannot be read */
    static PolicyHost start(
            HeadConfig config, Map<String, ScalingPolicy<?>> policies, String release, InstantSource clock)
            throws IOException {
        HeadConfig.Scaler scaler = config.scaler();
        Map<String, PolicyHost.Builtin<?>> builtins = new LinkedHashMap<>();
        policies.forEach((name, policy) -> builtins.put(
                name, name.equals(scaler.policy()) ? configured(policy, scaler.settings()) : standard(policy)));
        String fallback = builtins.containsKey(scaler.policy()) || !builtins.containsKey(FALLBACK)
                ? builtins.containsKey(scaler.policy())
                        ? scaler.policy()
                        : builtins.keySet().iterator().next()
                : FALLBACK;
        Duration poll = scaler.tick().dividedBy(4);
        PolicyHostSettings settings = new PolicyHostSettings(
                scaler.policies().folder(),
                config.state().resolve("policies.json"),
                scaler.policy(),
                scaler.texts(),
                fallback,
                release,
                (int) (scaler.policies().memoryBytes() >> 20),
                scaler.policies().deadline(),
                scaler.policies().strikes(),
                poll.compareTo(LONGEST_POLL) < 0 ? poll : LONGEST_POLL);
        return PolicyHost.start(settings, builtins, Containment.probe(), clock, new PolicyHost.Listener() {
            @Override
            public void info(String sentence) {
                LOG.info("{}", sentence);
            }

            @Override
            public void warn(String sentence) {
                LOG.warn("{}", sentence);
            }
        });
    }

    private static <S extends Record> PolicyHost.Builtin<S> configured(ScalingPolicy<S> policy, Record settings) {
        @SuppressWarnings("unchecked") // The configuration was read into this policy's own record.
        S typed = (S) policy.defaults().getClass().cast(settings);
        return new PolicyHost.Builtin<>(policy, typed);
    }

    private static <S extends Record> PolicyHost.Builtin<S> standard(ScalingPolicy<S> policy) {
        return new PolicyHost.Builtin<>(policy, policy.defaults());
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
                all.policies().stream().map(PolicyDesk::view).toList());
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
