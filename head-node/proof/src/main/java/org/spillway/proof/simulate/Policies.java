package org.spillway.proof.simulate;

import java.util.LinkedHashMap;
import java.util.Map;
import org.spillway.cli.CliFailure;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.SettingTexts;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.scaler.simulate.PolicyChoice;

/** Policies as they are written on a command line: {@code NAME} or {@code NAME:key=value,key=value}; {@code A+B} is a chain. */
final class Policies {
    private Policies() {}

    static PolicyChoice<?> parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        ScalingPolicy<?> policy =
                BuiltInPolicies.find(name).map(BuiltInPolicies.Entry::policy).orElse(null);
        if (policy == null) {
            throw bad(
                    "there is no policy '" + name + "'",
                    "allowed: " + String.join(", ", BuiltInPolicies.byName().keySet()));
        }
        return choice(text, policy, colon < 0 ? "" : text.substring(colon + 1));
    }

    private static <S extends Record> PolicyChoice<S> choice(String label, ScalingPolicy<S> policy, String settings) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String one : settings.isEmpty() ? new String[0] : settings.split(",", -1)) {
            int equals = one.indexOf('=');
            if (equals < 1 || values.put(one.substring(0, equals), one.substring(equals + 1)) != null) {
                throw bad(
                        "'" + one + "' of --policy " + label + " is no setting",
                        "write NAME:key=value,key=value with each key once");
            }
        }
        try {
            return new PolicyChoice<>(label, policy, SettingTexts.with(policy.defaults(), values));
        } catch (IllegalArgumentException refused) {
            throw bad("--policy " + label + ": " + refused.getMessage(), "");
        }
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }
}
