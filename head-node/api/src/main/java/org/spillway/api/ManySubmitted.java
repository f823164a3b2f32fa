package org.spillway.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;

/**
 * An answer to many submissions.
 *
 * @param answers one for each, in their order
 */
public record ManySubmitted(List<SubmissionAnswer> answers) {
    public ManySubmitted {
        answers = List.copyOf(answers);
    }

    /**
     * The fate of a submission.
     *
     * @param id of the job or the array; empty when it was not submitted, be it for another's sake
     * @param code of its refusal; empty when it is acceptable
     * @param message of the refusal
     * @param hint for its user
     */
    public record SubmissionAnswer(String id, String code, String message, String hint) {
        /** An acceptable one that was not submitted. */
        public static final SubmissionAnswer ACCEPTABLE = new SubmissionAnswer("", "", "", "");

        public static SubmissionAnswer submitted(String id) {
            return new SubmissionAnswer(id, "", "", "");
        }

        public static SubmissionAnswer refused(ApiException why) {
            return new SubmissionAnswer("", why.code().name(), why.getMessage(), why.hint());
        }

        @JsonIgnore
        public boolean isRefused() {
            return !code.isEmpty();
        }
    }
}
