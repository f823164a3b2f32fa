package org.spillway.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import org.spillway.api.form.Describes;

/** An answer to many submissions. */
public record ManySubmitted(
        @Describes("one for each, in their order") List<SubmissionAnswer> answers) {
    public ManySubmitted {
        answers = List.copyOf(answers);
    }

    /** The fate of a submission. */
    public record SubmissionAnswer(
            @Describes("of the job or the array; empty when it was not submitted, be it for another's sake")
            String id,

            @Describes("of its refusal; empty when it is acceptable")
            String code,

            @Describes("of the refusal") String message,

            @Describes("for its user") String hint) {
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
