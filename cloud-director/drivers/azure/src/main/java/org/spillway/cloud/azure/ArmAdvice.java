package org.spillway.cloud.azure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The one thing to do about a refusal that only an administrator of the account can mend. */
final class ArmAdvice {
    private static final Pattern NAMESPACE = Pattern.compile("\\bMicrosoft\\.[A-Za-z]{2,40}\\b");

    private ArmAdvice() {}

    /** To be put behind the provider's words; empty when there is nothing to add. */
    static String of(String code, String message) {
        return switch (code) {
            case "MissingSubscriptionRegistration", "SubscriptionNotRegistered" -> {
                Matcher found = NAMESPACE.matcher(message);
                yield "; register it: az provider register --namespace "
                        + (found.find() ? found.group() : "Microsoft.Compute");
            }
            case "ScopeLocked" -> "; remove the lock (az lock list), or give the site a resource group without one";
            default -> "";
        };
    }
}
