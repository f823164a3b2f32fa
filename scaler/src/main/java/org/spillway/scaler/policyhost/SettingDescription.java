package org.spillway.scaler.policyhost;

import java.util.List;
import org.spillway.policy.SettingTexts;

/**
 * A component of a policy's settings record.
 *
 * @param allowed in words, such as "a whole number"
 * @param byDefault as it would be written
 * @param description what its author says of it; empty when he says nothing
 */
public record SettingDescription(String name, String allowed, String byDefault, String description) {
    static List<SettingDescription> of(Record defaults) {
        return SettingTexts.describe(defaults).stream()
                .map(one -> new SettingDescription(
                        one.key(), Plain.text(one.allowed()), Plain.text(one.standard()), Plain.text(one.effect())))
                .toList();
    }
}
