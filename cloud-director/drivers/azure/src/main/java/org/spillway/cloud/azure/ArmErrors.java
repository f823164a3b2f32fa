package org.spillway.cloud.azure;

import java.util.Optional;
import org.spillway.cloud.ErrorTable;
import org.spillway.policy.LaunchOutcome.Reason;

/** Meanings of the resource manager's error codes, by the table in {@code error-codes.txt}, which names its sources. */
final class ArmErrors {
    private static final ErrorTable TABLE = ErrorTable.beside(ArmErrors.class, "error-codes.txt");

    private ArmErrors() {}

    /**
     * The reason behind an error's code, also of an operation that was accepted before.
     *
     * @return empty for a code that is not known
     */
    static Optional<Reason> reason(String code, String message) {
        return TABLE.meaning(code, message).flatMap(ErrorTable.Meaning::reason);
    }

    /**
     * Of an error status. Below 500 the provider has done nothing; 400, 408, 409 and 5xx leave that open, unless a code
     * is known. 429 is throttling whatever code comes with it: the compute provider's says {@code OperationNotAllowed}
     * ("Troubleshooting API throttling errors").
     */
    static <T> Answer<T> answer(int status, String code, String message) {
        String words = message.isEmpty() ? "answer " + status : message;
        String text = (code.isEmpty() ? words : code + ": " + words).replaceAll("[\\p{Cc}\\p{Cf}]", "?");
        if (status == 429) {
            return new Answer.Refused<>(status, code, Reason.THROTTLED, text);
        }
        if (status >= 500 || status < 400) {
            return new Answer.Unclear<>("answer " + status + " " + text);
        }
        Optional<Reason> known = reason(code, message);
        if (known.isPresent()) {
            return new Answer.Refused<>(status, code, known.get(), text + ArmAdvice.of(code, message));
        }
        return switch (status) {
            case 401, 403 -> new Answer.Refused<>(status, code, Reason.CREDENTIALS, text);
            case 400, 408, 409 -> new Answer.Unclear<>("answer " + status + " " + text);
            default -> new Answer.Refused<>(status, code, Reason.INVALID, text);
        };
    }
}
